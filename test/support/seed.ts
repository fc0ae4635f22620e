import fc from 'fast-check'

/**
 * Preloaded: properties get the same inputs in every run, so that a failure is the change's own and can be repeated.
 * FAST_CHECK_SEED=random explores; a failure then prints the seed to come back to.
 */
const seed = process.env.FAST_CHECK_SEED ?? '1'

if (seed !== 'random') fc.configureGlobal({ seed: Number(seed) })
