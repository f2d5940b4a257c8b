# How the command is found, called and understood; what the answers have in common.

found_command <- function() {
  given <- getOption("foregone.command", Sys.getenv("FOREGONE_COMMAND"))
  if (nzchar(given)) given else unname(Sys.which("foregone"))
}

foregone_available <- function() {
  command <- found_command()
  nzchar(command) && (file.exists(command) || nzchar(Sys.which(command)))
}

foregone <- function(...) {
  if (!foregone_available()) {
    stop("the command foregone was not found; install it, or say options(foregone.command = \"path\")", call. = FALSE)
  }
  words <- as.character(unlist(list(...)))
  complaints <- tempfile("foregone")
  on.exit(unlink(complaints))
  said <- suppressWarnings(
    system2(found_command(), shQuote(c(words, "--json")), stdout = TRUE, stderr = complaints)
  )
  text <- paste(said, collapse = "\n")
  answer <- tryCatch(fromJSON(text, simplifyVector = FALSE), error = function(error) NULL)
  if (!identical(answer$format, "foregone-answer")) {
    stop(paste(c("foregone gave no answer", readLines(complaints, warn = FALSE)), collapse = "\n"), call. = FALSE)
  }
  if (length(answer$errors) > 0 && !answer$exit %in% c(0, 1)) {
    stop(paste(unlist(answer$errors), collapse = "\n"), call. = FALSE)
  }
  answer
}

# A claim as it is typed: list(SEX = "F", AGE = c("65-74", "75-84")) is 'SEX=F, AGE=65-74|75-84'.
claim_text <- function(claim) {
  if (is.character(claim) && is.null(names(claim))) {
    return(paste(claim, collapse = ", "))
  }
  codes <- vapply(claim, function(some) paste(as.character(some), collapse = "|"), "")
  paste(paste0(names(claim), "=", codes), collapse = ", ")
}

# Options of the command: those that are NULL or FALSE are left out, TRUE stands alone, several values repeat the option.
options_of <- function(...) {
  given <- list(...)
  words <- lapply(names(given), function(name) {
    value <- given[[name]]
    option <- paste0("--", gsub("_", "-", name, fixed = TRUE))
    if (is.null(value) || identical(value, FALSE)) {
      NULL
    } else if (identical(value, TRUE)) {
      option
    } else {
      as.vector(rbind(option, format(value, scientific = FALSE, trim = TRUE)))
    }
  })
  unlist(words)
}

# Objects as rows of a data frame; what one of them does not have, or has as null, is NA.
as_rows <- function(objects, columns = NULL) {
  columns <- unique(c(columns, unlist(lapply(objects, names))))
  cells <- lapply(columns, function(column) {
    values <- lapply(objects, function(object) if (is.null(object[[column]])) NA else object[[column]])
    values <- lapply(values, function(value) if (length(value) == 1 && !is.list(value)) value else paste(unlist(value), collapse = "|"))
    if (length(values) == 0) character(0) else unlist(values)
  })
  names(cells) <- columns
  as.data.frame(cells, stringsAsFactors = FALSE, check.names = FALSE)
}

# Claims as rows: a column for each attribute that some claim names, as text, and then what is known of the claim.
claim_rows <- function(claims) {
  where <- as_rows(lapply(claims, `[[`, "where"))
  if (length(claims) > 0 && ncol(where) == 0) where <- where[rep(1L, length(claims)), , drop = FALSE]
  rest <- as_rows(lapply(claims, function(claim) claim[setdiff(names(claim), c("where", "others", "words", "fraction"))]))
  if (ncol(where) == 0) rest else cbind(where, rest)
}

# A dataset as rows, one for each record.
records_of <- function(dataset) {
  if (is.null(dataset)) {
    return(NULL)
  }
  rows <- as_rows(lapply(dataset, `[[`, "record"))
  times <- vapply(dataset, function(kind) as.numeric(kind$n), 0)
  rows[rep(seq_along(times), times), , drop = FALSE]
}

# The data frame with what else the command told: its exit status, its lines and the assumptions, and the whole answer.
told <- function(frame, answer, ...) {
  rownames(frame) <- NULL
  attributes(frame) <- c(attributes(frame), list(
    exit = answer$exit,
    lines = unlist(answer$lines),
    assumptions = unlist(answer$assumptions),
    answer = answer
  ), list(...))
  frame
}

or_na <- function(value) if (is.null(value)) NA else value
