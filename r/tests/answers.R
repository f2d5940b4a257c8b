# What the functions return, on a release small enough to work out by hand.

library(foregone)

fails <- function(expression) inherits(try(expression, silent = TRUE), "try-error")

if (!foregone_available()) {
  cat("note: the command foregone is not there, so nothing is tested\n")
  quit(status = 0)
}

people <- data.frame(SEX = c("F", "F", "M", "M"), AGE = c("young", "old", "old", "old"))
release <- tempfile("release")
sums <- tempfile("sums")
stopifnot(tabulate_records(people, list(c("SEX", "AGE")), release)$numbers >= 4)
stopifnot(tabulate_records(people, list("SEX", "AGE"), sums, record = "person")$records == 4)

proofs <- tempfile(fileext = ".json")
claims <- audit(release, proofs = proofs)
stopifnot(is.data.frame(claims), identical(names(claims)[1:2], c("SEX", "AGE")), attr(claims, "exit") == 0)
stopifnot(is.character(claims$SEX), is.numeric(claims$count), is.logical(claims$published))
young <- claims[which(claims$AGE == "young"), ]
stopifnot(nrow(young) == 1, young$SEX == "F", young$count == 1)
stopifnot(nrow(audit(release, count = 2)) < nrow(claims), nrow(audit(release, all = TRUE)) > nrow(claims))

stopifnot(verify(release, list(SEX = "F", AGE = "old"), count = 1)$verdict == "verified")
refuted <- verify(sums, "SEX=F, AGE=old", count = 1)
stopifnot(refuted$verdict == "refuted", attr(refuted, "exit") == 1, nrow(attr(refuted, "witness")) == 4)
stopifnot(verify(sums, "SEX=F, AGE=old", count = 1, possible = TRUE)$verdict == "possible")
stopifnot(verify(release, list(AGE = c("young", "old")), count = 4)$verdict == "verified")

range <- bounds(sums, list(SEX = "F", AGE = "old"))
stopifnot(range$least == 1, range$greatest == 2)
stopifnot(nrow(bounds(sums, hidden = FALSE)) >= 4, nrow(bounds(sums)) == 0)

why <- explain(release, "SEX=M, AGE=old", count = 2)
stopifnot(nrow(why) >= 1, attr(why, "low") == 2, attr(why, "high") == 2, nzchar(why$says[1]))

checked <- check(release, proofs, complete = TRUE)
stopifnot(checked$accepted == nrow(claims), checked$rejected == 0, checked$complete)
certificates <- tempfile("vipr")
check(release, proofs, vipr = certificates)
stopifnot(file.exists(file.path(certificates, "facts.vipr")))
stopifnot(check(sums, proofs)$rejected > 0)

guarded <- protect(release, tempfile("protected"), columns = 2)
stopifnot(nrow(guarded) > 0, attr(guarded, "cost") >= attr(guarded, "lower_bound"), is.character(guarded$withheld))

shares <- likely(sums, list(SEX = "F", AGE = "old"), count = 1)
stopifnot(nrow(shares) == 1, shares$share > 0, shares$share < 1, attr(shares, "datasets") == 2)

stopifnot(fails(audit("there is no such release")))
stopifnot(fails(verify(release, "NOBODY=1")))
message <- tryCatch(audit("nowhere at all"), error = conditionMessage)
stopifnot(grepl("there is no such folder or file", message))
options(foregone.command = "/nowhere/foregone")
stopifnot(!foregone_available(), fails(audit(release)))
cat("all is well\n")
