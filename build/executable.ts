/** Makes one executable of the source, the app, the pages, the docs and the Workers. */
import { cpSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { BunPlugin } from 'bun'
import { bundleApp } from './bundle-app'
import { embeddedModule, inExecutable, ROOT, WORKERS } from './parts'

/**
 * Makes the file `outfile`, for the machine that this runs on. The same source in any folder gives the same bytes, with
 * bytecode too, as long as the file has the same name: Bun writes that into it.
 * @param entry what it does, from the root
 * @throws AggregateError when the source cannot be bundled
 */
export async function buildExecutable(outfile: string, entry = 'src/cli.ts'): Promise<void> {
  // Bun names parts of the executable after where they came from, so it's the same place each time.
  const pages = join(ROOT, 'dist/pages')
  rmSync(pages, { recursive: true, force: true })
  const made = join(ROOT, 'public/app')
  cpSync(join(ROOT, 'public'), pages, { recursive: true, filter: (path) => path !== made })
  await bundleApp(join(pages, 'app'))
  await bundle(outfile, entry, pages)
}

async function bundle(outfile: string, entry: string, pages: string): Promise<void> {
  await Bun.build({
    entrypoints: [entry, ...WORKERS].map((path) => join(ROOT, path)),
    root: ROOT,
    naming: { entry: '[dir]/[name].[ext]' },
    compile: { outfile },
    // Else the folder of this machine: packages in CommonJS have these.
    define: { __dirname: '"/$bunfs/root"', __filename: '"/$bunfs/root"' },
    bytecode: true,
    // What is loaded when asked is a part that isn't read before.
    splitting: true,
    format: 'esm',
    minify: { whitespace: true, syntax: true },
    // The trainer's other engine, in WebAssembly, which is not installed.
    external: ['@napi-rs/wasm-runtime'],
    plugins: [parts(pages)],
  })
}

const parts = (pages: string): BunPlugin => ({
  name: 'parts',
  setup(build) {
    build.onResolve({ filter: /^@open-spaced-repetition\/binding$/ }, ({ path, importer }) => trainer(path, importer))
    build.onLoad({ filter: /\/src\/system\/embedded\.ts$/ }, () => ({ contents: embeddedModule(pages), loader: 'ts' }))
    build.onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => ({
      contents: inExecutable(await Bun.file(path).text(), path),
      loader: 'ts',
    }))
  },
})

/**
 * The trainer's ES module finds its native part by a `require` of its own making, which nothing can follow; its other
 * form says it plainly. Where the trainer is not installed, the executable says so when it is asked for.
 */
function trainer(path: string, importer: string): { path: string; external?: boolean } {
  try {
    return { path: createRequire(importer).resolve(path) }
  } catch {
    return { path, external: true }
  }
}
