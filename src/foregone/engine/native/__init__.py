"""The audit loop, compiled: the same facts, grounds and forms as `claims/audit_loop.py` finds, many times faster.

`loop/` is the C++ (begin with `foregone_loop.h`), `library` finds and loads what was built from it, `plan` turns a workload into
numbers, and `audit` turns numbers back into an `Audit`. Whatever is out of the ordinary falls back: the Python engine then does
that release, and decides the same things. Without a library, or with `FOREGONE_LOOP=pure`, it does them all.
"""
