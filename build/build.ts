/** `bun run build` makes dist/satchel; `bun build/build.ts FILE` makes FILE. */
import { join, resolve } from 'node:path'
import { buildExecutable } from './executable'
import { ROOT } from './parts'

const outfile = resolve(process.argv[2] ?? join(ROOT, 'dist/satchel'))
await buildExecutable(outfile)
process.stdout.write(`${outfile} (${Math.round(Bun.file(outfile).size / 2 ** 20)} MiB)\n`)
