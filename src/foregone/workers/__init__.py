"""Who does the work: processes of this machine (`pool`) or a Dask cluster (`cluster`). Nothing here knows what the work is."""
