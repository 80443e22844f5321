// Runs the search of a yardstick, whose "bts.hpp" is included from the folder that the compiler is given, and prints
// the thread's processor time in seconds, the trials, the visits below the root, and the root's value.
//
// Arguments: problem, algorithm, tables (0 or 1), alpha, epsilon, beta, c, q_init, horizon, trials.
#include "bts.hpp"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

static double processor_seconds() {
    timespec spent;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
    return double(spent.tv_sec) + 1e-9 * double(spent.tv_nsec);
}

template <int Algorithm, class Problem>
static void measure(Problem problem, std::int64_t start, int actions, const h::Params& params, std::int64_t trials) {
    h::Tree tree(trials + 16, (trials + 16) * actions, actions);
    tree.new_node(start, false, actions);
    h::Rng rng(1);
    h::Search<Algorithm, Problem> search(tree, params, problem, rng);
    std::int64_t done = 0;
    const double began = processor_seconds();
    const std::int64_t visits = search.run(0, trials, done);
    const double seconds = processor_seconds() - began;
    std::printf("%.9f %lld %lld %.17g\n", seconds, (long long)done, (long long)visits, tree.nodes[0].v);
}

template <int Algorithm>
static int measure_on(const std::string& problem, const h::Params& params, std::int64_t trials) {
    if (problem == "chain")
        measure<Algorithm>(h::Chain{10, 1.0}, 1, 2, params, trials);
    else if (problem == "lake")
        measure<Algorithm>(h::Lake(params.H), 0, 4, params, trials);
    else if (problem == "sailing")
        measure<Algorithm>(h::Sail(), (5 * 6) << 3 | 3, 8, params, trials);
    else
        return 2;
    return 0;
}

int main(int count, char** arguments) {
    if (count != 11) return 2;
    const std::string problem = arguments[1], algorithm = arguments[2];
    h::Params params{};
    params.use_alias = std::atoi(arguments[3]) != 0;
    params.alpha = std::atof(arguments[4]);
    params.eps = std::atof(arguments[5]);
    params.beta0 = std::atof(arguments[6]);
    params.c = std::atof(arguments[7]);
    params.qinit = std::atof(arguments[8]);
    params.H = std::atoi(arguments[9]);
    const std::int64_t trials = std::atoll(arguments[10]);
    if (algorithm == "BTS") return measure_on<h::BTS>(problem, params, trials);
    if (algorithm == "DENTS") return measure_on<h::DENTS>(problem, params, trials);
    if (algorithm == "UCT") return measure_on<h::UCT>(problem, params, trials);
    return 2;
}
