"""One self-contained page about what a release gives away, and a machine-readable summary beside it."""
