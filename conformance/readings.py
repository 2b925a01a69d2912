# SPDX-License-Identifier: MIT
"""What papers say of the places where libraries differ from them, and the two ways in which that is read.

A reading is found by the rule and the word for the difference: what the paper says, how the vectors read it, and how
it is read where a program differs so.  Deviations of several words have a reading for each.
"""

PAIRS = ("stdp", "stdp_multiplicative", "stdp_soft_bounds")

READINGS = {
    (("hebbian",), "sign"): (
        "Hebb 1949 has a sentence and no equation: the cell that takes part in firing another gains efficiency.",
        "A rate above 0 makes the weight between two neurons that answer together grow.",
        "The product is a gradient to descend, and a step subtracts it."),
    (("hebbian", "anti_hebbian", "oja", "anti_oja"), "order"): (
        "The rules are for one input and the answer to it: Oja 1982 writes the weights of the next step in terms of "
        "the input, the answer and the weights of this one.",
        "Each sample is answered, and learnt with its own answer, before the next one comes.",
        "All samples of a series are learnt with the state that was there before the series."),
    (("oja",), "trace"): (
        "In Oja 1982 the weight changes by rate η (ξ - η μ), with input ξ and answer η of the same step.",
        "Both are the numbers of this step.",
        "Both are means over the last steps, as a rule for trains of spikes needs them."),
    (("oja",), "scale"): (
        "Oja 1982 has one number, the rate, as a factor of the whole change.",
        "The parameter that is called the learning rate is that number.",
        "Another parameter is that number, and the one of that name changes nothing."),
    (("bcm",), "threshold"): (
        "Bienenstock, Cooper & Munro 1982 let the threshold be a power, larger than 1, of the mean answer; Intrator & "
        "Cooper 1992 let it be the mean of the answer's square.",
        "The threshold follows the square of the answer by a sliding mean, and changes after the weights have changed.",
        "The threshold follows something that does not grow faster than the answer, or it is constant."),
    (("bcm",), "scale"): (
        "Bienenstock, Cooper & Munro 1982 and Intrator & Cooper 1992 have the change as y (y - θ) x; Law & Cooper 1994 "
        "divide it by θ.",
        "The change is not divided.",
        "The change is divided, which makes learning slow where the threshold is high."),
    (("competitive",), "winner"): (
        "Grossberg 1976 and Rumelhart & Zipser 1985 let the unit with the largest weighted sum win; MacQueen 1967 and "
        "Kohonen 1982 let the nearest unit win. For inputs and weights of one length both are the same unit.",
        "The neuron with the largest w · x wins.",
        "The nearest neuron wins, or inputs are scaled to one length first."),
    (("competitive",), "decay"): (
        "In Rumelhart & Zipser 1985 the winner gives up a share of all its weights, and losers keep theirs.",
        "The decay - w acts on the winner alone.",
        "The decay acts on all neurons."),
    (("competitive",), "scale"): (
        "Rumelhart & Zipser 1985 have a constant rate; MacQueen 1967 has one over the number of samples won.",
        "The rate is constant.",
        "The rate is one over the number of samples that the neuron has won."),
    (("online_k_means",), "winner"): (
        "MacQueen 1967 moves the mean that is nearest; Kohonen 1982 also moves its neighbours on a map.",
        "The winner moves alone.",
        "Neighbours move as well, by how near they are on the map."),
    (("online_k_means",), "scale"): (
        "MacQueen's rate is one over the number of samples won; a stream that goes on is followed with a constant "
        "rate.",
        "The rate is constant.",
        "The rate falls with the number of samples that have come."),
    (PAIRS, "order"): (
        "Song, Miller & Abbott 2000, van Rossum, Bi & Turrigiano 2000 and Rubin, Lee & Sompolinsky 2001 have times and "
        "no ticks, and do not say what two spikes at one moment do.",
        "Both spikes of a tick count in the traces before weights change: together they change the weight by A+ and by "
        "A-.",
        "One of the two acts first, or neither sees the other, so that such a pair changes the weight by A+ alone, by "
        "A- alone or not at all."),
    (PAIRS, "trace"): (
        "In Song, Miller & Abbott 2000 every spike adds A to the function P or M of its side, and both fall "
        "exponentially, so that all pairs count.",
        "Traces add up over all spikes.",
        "A spike sets its trace, so that only the pair with the last spike counts."),
    (("stdp",), "scale"): (
        "Song, Miller & Abbott 2000 change the weight by F(Δt) times the largest weight, whatever the weight is; A+ is "
        "the effect of a pair of lag 0.",
        "A pair changes the weight by rate A exp(-|Δt|/tau), and by nothing else.",
        "The change by a pair has one more factor, such as the weight or the share of a trace that falls within a "
        "tick."),
    (("stdp",), "bounds"): (
        "Song, Miller & Abbott 2000 hold each weight between 0 and the largest one.",
        "The rule and its bounds are two things: this case has no bounds, and `stdp_bounds` has them.",
        "The bound at 0 belongs to the rule."),
    (("stdp_multiplicative",), "scale"): (
        "In van Rossum, Bi & Turrigiano 2000 depression is in proportion to the weight, and potentiation is not; "
        "Rubin, Lee & Sompolinsky 2001 have potentiation in proportion to what is left to the largest weight.",
        "The multiplicative rule is that of van Rossum and others.",
        "The multiplicative rule is that of Rubin and others."),
    (("triplet_stdp",), "order"): (
        "Pfister & Gerstner 2006 have times and no ticks; slow traces are read at t - ε, just before the spike, and "
        "fast ones at the spike.",
        "Both spikes of a tick count in the fast traces before weights change.",
        "One of the two acts first, or neither sees the other."),
    (("triplet_stdp",), "trace"): (
        "Pfister & Gerstner 2006 read the slow traces at t - ε, with a small positive ε.",
        "ε goes to 0: the trace has fallen up to this tick and does not count its spike.",
        "ε is a tick: the trace is that of the tick before."),
    (("reward_stdp",), "order"): (
        "Izhikevich 2007 has dc/dt = -c/τ + STDP and ds/dt = c d, in continuous time.",
        "The reward of a tick sees what the tick's own spikes have added to c.",
        "The reward sees c as the tick before left it, or it sees what one of two spikes in a tick adds."),
    (("reward_stdp",), "scale"): (
        "Izhikevich 2007 has dc/dt = -c/τ + STDP; a pair adds its whole STDP to c.",
        "A pair adds STDP, and c falls by 1/τ of itself in a tick.",
        "A pair adds STDP/τ, and c falls by exp(-1/τ)."),
    (("reward_stdp",), "bounds"): (
        "Izhikevich 2007 holds weights between 0 and 4 mV.",
        "The rule and its bounds are two things: this case has no bounds.",
        "The bound at 0 belongs to the rule."),
    (("lif",), "order"): (
        "Lapicque 1907 has a membrane that leaks and a threshold, in continuous time.",
        "The input of a tick is compared with the threshold at this tick.",
        "The input of a tick is compared with the threshold a tick later, once it has leaked."),
    (("lif",), "scale"): (
        "By τ dv/dt = -v + R I the paper's membrane relaxes to R I, in volts; papers on networks often let a spike add "
        "its weight.",
        "Input adds w · x to the membrane.",
        "The membrane relaxes to its input, of which a tick adds the share 1 - leak."),
    (("lif",), "reset"): (
        "Lapicque 1907 has no reset; later papers set the membrane to a value, or subtract the threshold.",
        "The membrane is 0 after a spike.",
        "The threshold is subtracted, so that what was above it stays."),
    (("delta",), "scale"): (
        "Widrow & Hoff 1960 have a step along the error times the input; Widrow & Stearns 1985 write it as 2 μ e x, "
        "the slope of the squared error.",
        "The step is rate e x.",
        "The step is 2 rate e x."),
    (("delta", "nlms"), "order"): (
        "Widrow & Hoff 1960 and Nagumo & Noda 1967 take the error of the answer that the weights before the step give.",
        "The answer that is reported is the one before the step.",
        "The answer that is reported is the one after the step; the error is the one before it."),
}


def of(rule, kind):
    """The readings of one difference, a list of (paper, vectors, other); empty where one is not written down."""
    found = []
    for word in kind.split(", "):
        those = [text for (rules, of_kind), text in READINGS.items() if rule in rules and of_kind == word]
        if len(those) != 1:
            return []
        found += those
    return found
