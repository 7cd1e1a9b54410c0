# Smooth curves for sipc-lab bench signs: Rscript gam.R train.csv test.csv sweeps.csv job.json out.json
#
# mgcv's gam with a thin-plate spline of each column of more than ten numbers, factors of the others, and smoothness by REML. A gap is the column's
# median, beside a column that says so. It has no signs. Needs Debian's r-cran-mgcv and r-cran-jsonlite.

suppressPackageStartupMessages({library(mgcv); library(jsonlite)})
paths <- commandArgs(trailingOnly = TRUE)
parts <- lapply(paths[1:3], read.csv, na.strings = c("?", ""), check.names = FALSE)
job <- fromJSON(paths[4])
target <- job$target
columns <- setdiff(names(parts[[1]]), target)
train <- parts[[1]]

prepare <- function(d) {
  out <- list()
  for (i in seq_along(columns)) {
    v <- d[[columns[i]]]
    name <- paste0("v", i)
    seen <- train[[columns[i]]]
    if (!is.numeric(seen)) {
      out[[name]] <- factor(v, levels = unique(seen))
      next
    }
    v[v %in% job$gaps] <- NA
    seen[seen %in% job$gaps] <- NA
    if (anyNA(seen)) out[[paste0("g", i)]] <- as.numeric(is.na(v))
    v[is.na(v)] <- median(seen, na.rm = TRUE)
    out[[name]] <- v
  }
  as.data.frame(out)
}

x <- prepare(train)
terms <- sapply(names(x), function(n) {
  many <- length(unique(x[[n]]))
  if (!is.numeric(x[[n]]) || many <= 10) n else sprintf("s(%s, k = %d)", n, min(10, many - 1))
})
terms <- terms[sapply(x, function(v) length(unique(v)) > 1)]
binary <- !is.null(job$positive)
x$y <- if (binary) as.numeric(train[[target]] == job$positive) else train[[target]]
formula <- as.formula(paste("y ~", paste(terms, collapse = " + ")))
many <- nrow(x)
began <- proc.time()[["elapsed"]]
family <- if (binary) binomial() else gaussian()
m <- if (many > 2000) bam(formula, data = x, family = family, method = "fREML", discrete = TRUE) else gam(formula, data = x, family = family, method = "REML")
seconds <- proc.time()[["elapsed"]] - began
scores <- function(d) as.numeric(predict(m, prepare(d)))
out <- list(mgcv = list(test = scores(parts[[2]]), sweeps = scores(parts[[3]]), setting = unbox("REML"), seconds = unbox(seconds), last = unbox(seconds)))
write(toJSON(out, digits = NA), paths[5])
