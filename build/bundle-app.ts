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
import { basename, dirname, join } from 'node:path'
import { ROOT } from './parts'

/** What the bundle is made of: the app, what it shares with the server and the key page, its packages and this file. */
const SOURCES = ['app', 'src', 'public/*.{js,css,svg}', 'bun.lock', 'build/bundle-app.ts']

const PAGE = 'index.html'
/** What is served as it is. */
const COPIED = [PAGE, 'app.webmanifest', 'icon-180.png', 'icon-512.png']
/** What gives the page its headers. */
const HEADERS = 'src/http/answer.ts'

/** Whether `folder` has a bundle that is newer than every file that it may be made of. */
export function isBundleFresh(folder: string): boolean {
  const page = join(folder, PAGE)
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
  // A server that starts at this time finds the files of before or those of now, never some of both. It lists no folder
  // with a leading dot.
  const fresh = mkdtempSync(join(dirname(folder), `.${basename(folder)}-`))
  for (const output of outputs) await Bun.write(join(fresh, output.path), output)
  writeFileSync(join(fresh, 'app.css'), bundleStyles())
  for (const name of COPIED) writeFileSync(join(fresh, name), readFileSync(join(ROOT, 'app', name)))
  writeFileSync(join(fresh, PAGE), withPreloads(fresh))
  writeFileSync(join(fresh, 'service-worker.js'), await bundleWorker(fresh))
  const old = `${fresh}-old`
  if (existsSync(folder)) renameSync(folder, old)
  renameSync(fresh, folder)
  rmSync(old, { recursive: true, force: true })
}

/** Makes the service worker, with the list of all files in `folder`, and of those outside of it that the page names. */
export async function bundleWorker(folder: string): Promise<string> {
  const files = { 'icon.svg': hashOf(join(ROOT, 'public/icon.svg')) } as Record<string, string>
  // The page is kept with its headers: others make it another one.
  for (const name of readdirSync(folder).toSorted())
    files[`app/${name}`] = hashOf(join(folder, name), ...(name === PAGE ? [join(ROOT, HEADERS)] : []))
  const { outputs } = await Bun.build({
    entrypoints: [join(ROOT, 'app/service-worker.ts')],
    target: 'browser',
    format: 'iife',
    minify: true,
    define: { FILES: JSON.stringify(files), PAGE: JSON.stringify(`app/${PAGE}`) },
  })
  return (await Promise.all(outputs.map((output) => output.text()))).join('')
}

/** The page, which names what its script loads one after the other, so that a browser asks for all of it at once. */
function withPreloads(folder: string): string {
  const load = /(?:from|import)\s*\(?"\.\/((?:main|Shell)-[\w-]+\.js)"/g
  const names = new Set(['main.js'])
  for (const name of names)
    for (const [, wanted = ''] of readFileSync(join(folder, name), 'utf8').matchAll(load)) names.add(wanted)
  const links = [...names].slice(1).map((name) => `<link rel="modulepreload" href="${name}">\n    `)
  return readFileSync(join(folder, PAGE), 'utf8').replace('<script', `${links.join('')}<script`)
}

/** The hash of files, one after the other, as `integrity` of a request names it. */
const hashOf = (...paths: readonly string[]) => {
  const hasher = new Bun.CryptoHasher('sha256')
  for (const path of paths) hasher.update(readFileSync(path))
  return `sha256-${hasher.digest('base64')}`
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
