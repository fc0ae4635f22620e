/** Makes one executable that needs neither Bun nor any file beside it: `bun run build`, or with the file to make. */
import { join, resolve } from 'node:path'
import type { BunPlugin } from 'bun'
import { embeddedModule, inExecutable, ROOT, WORKERS } from './parts'

const outfile = resolve(process.argv[2] ?? join(ROOT, 'dist/satchel'))

const parts: BunPlugin = {
  name: 'parts',
  setup(build) {
    build.onLoad({ filter: /\/src\/system\/embedded\.ts$/ }, () => ({ contents: embeddedModule(), loader: 'ts' }))
    build.onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => ({
      contents: inExecutable(await Bun.file(path).text(), path),
      loader: 'ts',
    }))
  },
}

await Bun.build({
  entrypoints: ['src/cli.ts', ...WORKERS].map((path) => join(ROOT, path)),
  root: ROOT,
  naming: { entry: '[dir]/[name].[ext]' },
  compile: { outfile },
  plugins: [parts],
})
process.stdout.write(`${outfile} (${Math.round(Bun.file(outfile).size / 2 ** 20)} MiB)\n`)
