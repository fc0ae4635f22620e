/** What bunfig.toml loads before each process of a test run. */
import { afterAll } from 'bun:test'
import fc from 'fast-check'
import { removeFolders } from './folder'
import { runs } from './full'

// Here and not in folder.ts: registered by the module of a test, it would run after that file alone.
afterAll(removeFolders)

// Properties get the same inputs in every run, so that a failure can be repeated. FAST_CHECK_SEED=random explores; a
// failure then prints its seed.
const seed = process.env.FAST_CHECK_SEED ?? '1'
fc.configureGlobal({ numRuns: runs(100), ...(seed !== 'random' && { seed: Number(seed) }) })

// Elysia collects all garbage whenever it has composed an app, which takes some 15 ms in a process that has made
// hundreds. A test that needs a collection passes `true`.
const collect = Bun.gc
Object.assign(Bun, { gc: (now?: boolean) => (now ? collect(true) : 0) })
