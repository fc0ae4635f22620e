/** Bundles the app, whose source is in app/, into files that the server serves as they are. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT } from './parts'

/** What the bundle is made of: the app, what it shares with the server and the key page, its packages and this file. */
const SOURCES = ['app', 'src', 'public/*.{js,css}', 'bun.lock', 'build/bundle-app.ts']

/** Whether `folder` has a bundle that is newer than every file that it may be made of. */
export function isBundleFresh(folder: string): boolean {
  const page = join(folder, 'index.html')
  if (!existsSync(page)) return false
  const made = statSync(page).mtimeMs
  return SOURCES.every((source) => newest(source) < made)
}

/** Milliseconds since 1970; a folder counts with all that is in it. */
function newest(source: string): number {
  const path = join(ROOT, source)
  if (source.includes('*')) return latest([...new Bun.Glob(source).scanSync(ROOT)].map((name) => join(ROOT, name)))
  if (!statSync(path).isDirectory()) return latest([path])
  const entries = readdirSync(path, { recursive: true, withFileTypes: true })
  return latest([path, ...entries.map(({ parentPath, name }) => join(parentPath, name))])
}

const latest = (paths: readonly string[]) => Math.max(...paths.map((path) => statSync(path).mtimeMs))

/**
 * Bundles the app into `folder`, in place of what is there. The same source gives the same files.
 * @throws AggregateError when the source cannot be bundled
 */
export async function bundleApp(folder: string): Promise<void> {
  const { outputs } = await Bun.build({
    entrypoints: [join(ROOT, 'app/main.tsx')],
    root: join(ROOT, 'app'),
    target: 'browser',
    format: 'esm',
    splitting: true,
    minify: true,
    naming: { entry: '[name].[ext]', chunk: '[name]-[hash].[ext]', asset: '[name]-[hash].[ext]' },
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  mkdirSync(dirname(folder), { recursive: true })
  // A server that starts meanwhile finds the files of before or those of now, never some of both.
  const fresh = mkdtempSync(`${folder}-`)
  for (const output of outputs) await Bun.write(join(fresh, output.path), output)
  writeFileSync(join(fresh, 'app.css'), bundleStyles())
  writeFileSync(join(fresh, 'index.html'), readFileSync(join(ROOT, 'app/index.html')))
  rmSync(folder, { recursive: true, force: true })
  renameSync(fresh, folder)
}

/**
 * The style sheets that app.css imports, in their order, behind the colours and fonts of the key page. Bun's own bundler
 * writes `:is()` for old browsers as well, in a form that takes precedence over what follows.
 */
function bundleStyles(): string {
  const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8')
  const [tokens] = /:root \{[^}]*\}/.exec(textOf('public/style.css')) ?? []
  if (!tokens) throw new Error('public/style.css has no :root block, whose colours the app uses')
  const sheets = [...textOf('app/app.css').matchAll(/@import "\.\/([^"]+)";/g)].map(([, path]) => textOf(`app/${path}`))
  return [tokens, ...sheets]
    .join('\n')
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/\n\s*/g, '\n')
}
