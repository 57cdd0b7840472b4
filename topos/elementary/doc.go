// Package elementary defines the real functions that a tape's maps name.
//
// Over float64 an answer is less than one unit in the last place from the real
// function's value (in practice little more than half a unit). Over float32 it
// is that value rounded correctly, for every input. Special values are those of
// IEEE 754 and of annex F of the C standard.
//
// Each function has three forms. Exp answers for a float64 and Exp32 for a
// float32. ExpSticky answers for a float32 with a float64 that is still to be
// rounded: to nearest, once, to 24 bits or fewer, it gives the correctly
// rounded value. That is what elements narrower than float32 need, since they
// compute their maps on the float32 value and round once.
//
// Bits are the same on every platform. Only operations that IEEE 754 fixes are
// used: sums, products, quotients, square roots and explicit fused
// multiply-adds; every other product is converted explicitly, so that the
// compiler does not fuse it. The payload of a NaN is no part of that.
//
// Sticky forms first compute in float64, with an error below 2^-40. Where that
// leaves the rounding open, about once in 30000 inputs, a second computation in
// double-double arithmetic (type pair) decides, as in Ziv, "Fast evaluation of
// elementary mathematical functions with correctly rounded last bit" (1991).
// The float64 forms use the second computation alone. Both reduce the argument
// by a table and add a short Taylor series (Tang, "Table-lookup algorithms for
// elementary functions and their error analysis", 1991; Muller, "Elementary
// Functions", 3rd ed. 2016). The tables_*.go files are derived by a test.
package elementary
