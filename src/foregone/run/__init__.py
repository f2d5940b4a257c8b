"""Many releases: this machine, a cluster or a job array; finished parts stay whatever happens."""
