"""The workbench, `foregone serve`: a sheet in its own layout, what it gives away, what withholding would change, and the files to
publish, in the browser of the person who sits at this machine.

A request passes `guard` (who may ask), `server` (which screen, what was clicked) and `hands` (a process that works, and can be
stopped). In that process `desk` keeps one warm case and `screens` draws what it finds. Everything that was said or decided is
`state`, kept in the working `folder`; everything that is done is a workflow that the command line has, too.
"""
