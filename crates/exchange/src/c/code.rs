//! The header's functions, as text. `@` stands for the name.

use sparsvm_core::Goal;

use crate::View;

/// What to include.
pub(super) fn includes(view: &View<'_>) -> String {
    let math = if view.sigmoids().is_some() { "#include <math.h>\n" } else { "" };
    format!("{math}#include <stddef.h>\n#include <stdint.h>\n\n")
}

/// How the header is used, for the comment at its top.
pub(super) fn guide(view: &View<'_>) -> Vec<&'static str> {
    let mut lines = vec![
        "A dense row x has @_FEATURES values. A sparse row has `count` pairs index[i], value[i] in any order;",
        "indices count from 0, one less than in LIBSVM files. Weights are for raw data.",
    ];
    match (view.goal, view.machines.len()) {
        (Goal::Rank, _) => lines.push("@_score(x): the higher, the better within a query."),
        (Goal::Classify, 1) => lines.extend([
            "@_decision(x): positive for @_classes[1].",
            "@_predict(x): the number of the class, whose label is in @_classes.",
        ]),
        (Goal::Classify, _) => lines.extend([
            "@_decisions(x, out): a value for each class, of which the largest decides.",
            "@_predict(x): the number of the class, whose label is in @_classes.",
        ]),
    }
    if view.sigmoids().is_some() {
        lines.push("@_probabilities(x, out): of each class. Link with -lm.");
    }
    lines.push("Each has a sparse variant: @_predict_sparse(index, value, count), and so on.");
    lines
}

/// All of them.
pub(super) fn functions(view: &View<'_>) -> String {
    let mut all = String::from(DECISIONS);
    match (view.goal, view.machines.len()) {
        (Goal::Rank, _) => all += &ONE.replace("#", "score"),
        (Goal::Classify, 1) => {
            all += &ONE.replace("#", "decision");
            all += PREDICT_ONE;
        }
        (Goal::Classify, _) => all += PREDICT_SEVERAL,
    }
    if let (Goal::Classify, Some(_)) = (view.goal, view.sigmoids()) {
        all += SIGMOID;
        all += if view.machines.len() == 1 { SHARE_ONE } else { SHARE_SEVERAL };
        all += PROBABILITIES;
    }
    all
}

const DECISIONS: &str = "\
static inline void @_decisions(const double *x, double *out)
{
    size_t k, m;
    for (m = 0; m < @_MACHINES; ++m)
        out[m] = 0.0;
    for (k = 0; k < @_KEPT; ++k)
        for (m = 0; m < @_MACHINES; ++m)
            out[m] += @_weight[k][m] * x[@_index[k]];
    for (m = 0; m < @_MACHINES; ++m)
        out[m] += @_intercept[m];
}

static inline void @_decisions_sparse(const size_t *index, const double *value, size_t count, double *out)
{
    size_t i, m;
    for (m = 0; m < @_MACHINES; ++m)
        out[m] = 0.0;
    for (i = 0; i < count; ++i) {
        size_t low = 0, high = @_KEPT;
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            if (@_index[middle] < index[i])
                low = middle + 1;
            else
                high = middle;
        }
        if (low < @_KEPT && @_index[low] == index[i])
            for (m = 0; m < @_MACHINES; ++m)
                out[m] += @_weight[low][m] * value[i];
    }
    for (m = 0; m < @_MACHINES; ++m)
        out[m] += @_intercept[m];
}

";

const ONE: &str = "\
static inline double @_#(const double *x)
{
    double out[1];
    @_decisions(x, out);
    return out[0];
}

static inline double @_#_sparse(const size_t *index, const double *value, size_t count)
{
    double out[1];
    @_decisions_sparse(index, value, count, out);
    return out[0];
}

";

const PREDICT_ONE: &str = "\
static inline int @_predict(const double *x)
{
    return @_decision(x) > 0.0;
}

static inline int @_predict_sparse(const size_t *index, const double *value, size_t count)
{
    return @_decision_sparse(index, value, count) > 0.0;
}

";

const PREDICT_SEVERAL: &str = "\
static inline int @_largest(const double *out)
{
    int m, best = 0;
    for (m = 1; m < @_MACHINES; ++m)
        if (out[m] > out[best])
            best = m;
    return best;
}

static inline int @_predict(const double *x)
{
    double out[@_MACHINES];
    @_decisions(x, out);
    return @_largest(out);
}

static inline int @_predict_sparse(const size_t *index, const double *value, size_t count)
{
    double out[@_MACHINES];
    @_decisions_sparse(index, value, count, out);
    return @_largest(out);
}

";

const SIGMOID: &str = "\
static inline double @_logistic(const double *sigmoid, double decision)
{
    const double z = sigmoid[0] * decision + sigmoid[1];
    return z >= 0.0 ? exp(-z) / (1.0 + exp(-z)) : 1.0 / (1.0 + exp(z));
}

";

const SHARE_ONE: &str = "\
static inline void @_shares(const double *decisions, double *out)
{
    out[1] = @_logistic(@_sigmoid[0], decisions[0]);
    out[0] = 1.0 - out[1];
}

";

const SHARE_SEVERAL: &str = "\
static inline void @_shares(const double *decisions, double *out)
{
    size_t m;
    double sum = 0.0;
    for (m = 0; m < @_MACHINES; ++m) {
        out[m] = @_logistic(@_sigmoid[m], decisions[m]);
        sum += out[m];
    }
    for (m = 0; m < @_MACHINES; ++m)
        out[m] = sum > 0.0 ? out[m] / sum : 1.0 / @_MACHINES;
}

";

const PROBABILITIES: &str = "\
static inline void @_probabilities(const double *x, double *out)
{
    double decisions[@_MACHINES];
    @_decisions(x, decisions);
    @_shares(decisions, out);
}

static inline void @_probabilities_sparse(const size_t *index, const double *value, size_t count, double *out)
{
    double decisions[@_MACHINES];
    @_decisions_sparse(index, value, count, decisions);
    @_shares(decisions, out);
}

";
