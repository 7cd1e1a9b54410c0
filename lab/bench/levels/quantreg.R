# Quantiles for sipc-lab bench levels: Rscript quantreg.R train.csv test.csv places.csv out.csv 0.1,0.5,0.9 FOLDS SETTINGS CONSTRAINT
#
# Each level is an rqss of quantreg by itself: a piecewise linear curve whose total variation of the slope is penalized, with the lambda of the least
# pinball loss over folds of the training rows. Of two inputs it is the sum of two curves, as surfaces of rqss need a package that is not free. The
# constraint is that of qss: N, I, CI. No curve goes beyond the range of the rows that it was fitted to, so other rows are moved to its ends.
# It prints the seconds of the choice and of the fits, and each lambda. Needs Debian's r-cran-quantreg.

suppressPackageStartupMessages(library(quantreg))
args <- commandArgs(trailingOnly = TRUE)
train <- read.csv(args[1])
test <- read.csv(args[2])
places <- read.csv(args[3])
levels <- as.numeric(strsplit(args[5], ",")[[1]])
folds <- as.integer(args[6])
settings <- as.integer(args[7])
constraint <- args[8]
inputs <- head(names(train), -1)

# lambda penalizes a slope's variation beside a sum over rows, so it goes with their number and with the unit of x
lambdas <- nrow(train) * sd(train[[inputs[1]]]) * 10^seq(-5, 0, length.out = settings)

curves <- function(rows, level, lambda) {
  terms <- sprintf("qss(%s, lambda = %.17g, constraint = \"%s\")", inputs, lambda, constraint)
  suppressWarnings(rqss(as.formula(paste("y ~", paste(terms, collapse = " + "))), tau = level, data = rows))
}

at <- function(fit, rows, of) {
  for (name in inputs) rows[[name]] <- pmin(pmax(rows[[name]], min(of[[name]])), max(of[[name]]))
  as.numeric(predict(fit, newdata = rows))
}

pinball <- function(level, y, q) mean(pmax(level * (y - q), (level - 1) * (y - q)))

set.seed(0)
fold <- sample(rep(seq_len(folds), length.out = nrow(train)))
began <- proc.time()[["elapsed"]]
chosen <- sapply(levels, function(level) {
  losses <- sapply(lambdas, function(lambda) {
    mean(sapply(seq_len(folds), function(k) {
      own <- train[fold != k, ]
      held <- train[fold == k, ]
      tryCatch(pinball(level, held$y, at(curves(own, level, lambda), held, own)), error = function(e) Inf)
    }))
  })
  if (!any(is.finite(losses))) stop("no lambda could be fitted at level ", level)
  lambdas[which.min(losses)]
})
choice <- proc.time()[["elapsed"]] - began

began <- proc.time()[["elapsed"]]
out <- sapply(seq_along(levels), function(k) at(curves(train, levels[k], chosen[k]), rbind(test, places), train))
fit <- proc.time()[["elapsed"]] - began
write.table(format(out, digits = 17, trim = TRUE), args[4], sep = ",", row.names = FALSE, col.names = FALSE, quote = FALSE)
cat(choice, fit, signif(chosen, 3), "\n")
