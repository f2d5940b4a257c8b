"""Files as plain values of the right shape and of bounded size. Everything in them is taken to be chosen by an enemy."""
