"""Beyond certain: how many datasets fit a release, and in what share of them a claim holds.

`problem` takes what is needed from a compiled release, `graph` unfolds the recursion over what is left to place, `weighing` puts
weights on it (a prior), sums them up exactly, and draws samples; `heat_bath` samples where the recursion is too much work;
`answer` asks. `compiled` takes the compiled twin of `graph` and `weighing` where there is one.
"""
