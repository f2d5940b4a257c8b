# One function for each question; all of them return data frames.

audit <- function(release, all = FALSE, min_columns = NULL, count = NULL, policy = NULL, proofs = NULL, out = NULL,
                  time_limit = NULL) {
  answer <- foregone("audit", release, options_of(
    all = all, min_columns = min_columns, count = count, policy = policy, proofs = proofs, out = out, time_limit = time_limit
  ))
  told(claim_rows(answer$claims), answer, undecided = answer$undecided, breaches = unlist(answer$breaches))
}

verify <- function(release, claim, count = 1, possible = FALSE, time_limit = NULL) {
  text <- claim_text(claim)
  answer <- foregone("verify", release, text, options_of(count = count, possible = possible, time_limit = time_limit))
  frame <- data.frame(
    claim = text, count = count, verdict = answer$verdict, ground = or_na(answer$ground), reason = or_na(answer$reason),
    stringsAsFactors = FALSE
  )
  told(frame, answer, witness = records_of(answer$witness))
}

bounds <- function(release, claim = NULL, hidden = is.null(claim), time_limit = NULL) {
  if (is.null(claim)) {
    answer <- foregone("bounds", release, options_of(hidden = hidden, all = !hidden, time_limit = time_limit))
    return(told(as_rows(answer$intervals), answer))
  }
  text <- claim_text(claim)
  answer <- foregone("bounds", release, text, options_of(time_limit = time_limit))
  frame <- data.frame(claim = text, least = answer$least, greatest = or_na(answer$greatest), stringsAsFactors = FALSE)
  told(frame, answer)
}

explain <- function(release, claim, count = NULL, time_limit = NULL) {
  answer <- foregone("explain", release, claim_text(claim), options_of(count = count, time_limit = time_limit))
  frame <- as_rows(answer$because, c("statistic", "name", "table", "low", "high", "says"))
  told(frame, answer, low = answer$low, high = or_na(answer$high))
}

protect <- function(release, out, policy = NULL, columns = NULL, by = NULL, keep = NULL, proofs = NULL, time_limit = NULL) {
  answer <- foregone("protect", release, options_of(
    out = out, policy = policy, columns = columns, by = by, keep = keep, proofs = proofs, time_limit = time_limit
  ))
  frame <- data.frame(withheld = as.character(unlist(answer$withheld)), stringsAsFactors = FALSE)
  told(frame, answer, cost = or_na(answer$cost), lower_bound = answer$lower_bound, optimal = answer$optimal)
}

check <- function(release, proofs, complete = FALSE, vipr = NULL) {
  export <- if (is.null(vipr)) NULL else c("--export", "vipr", vipr)
  answer <- foregone("check", release, proofs, options_of(complete = complete), export)
  frame <- data.frame(
    accepted = answer$accepted, rejected = length(answer$rejected), complete = or_na(answer$complete),
    contradiction = isTRUE(answer$contradiction)
  )
  told(frame, answer, reasons = unlist(answer$rejected))
}

likely <- function(release, claim = NULL, count = NULL, prior = NULL, seconds = NULL, seed = NULL) {
  text <- if (is.null(claim)) NULL else claim_text(claim)
  answer <- foregone("likely", release, text, options_of(count = count, prior = prior, seconds = seconds, seed = seed))
  told(claim_rows(answer$claims), answer, datasets = or_na(answer$datasets), method = answer$method)
}

tabulate_records <- function(data, margins, out, record = NULL) {
  file <- tempfile("records", fileext = ".csv")
  on.exit(unlink(file))
  write.csv(data, file, row.names = FALSE)
  tables <- vapply(margins, function(columns) paste(columns, collapse = ","), "")
  answer <- foregone("tabulate", file, options_of(margins = unname(tables), out = out, record = record))
  frame <- data.frame(release = out, numbers = answer$numbers, records = answer$records, stringsAsFactors = FALSE)
  told(frame, answer)
}
