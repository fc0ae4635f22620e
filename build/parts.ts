/** What goes into the executable beside what src/cli.ts imports. */
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { computeVersion } from '../src/http/static-file'

export const ROOT = join(import.meta.dir, '..')

/** How source names the file of a Worker. */
const WORKER_URL = /new URL\('(\.{1,2}\/[^']+)\.ts', import\.meta\.url\)/g

/** The files that run in a Worker, from the root: those that any source starts one with. */
export const WORKERS = [...new Bun.Glob('src/**/*.ts').scanSync(ROOT)].flatMap(workersOf).toSorted()

function workersOf(path: string): string[] {
  const started = readFileSync(join(ROOT, path), 'utf8').matchAll(WORKER_URL)
  return [...started].map(([, worker]) => join(dirname(path), `${worker}.ts`))
}

/** The source with the addresses of its Workers as they are in the executable, where all code lies at one place. */
export function inExecutable(source: string, path: string): string {
  return source.replace(WORKER_URL, (_, worker: string) => {
    const inside = relative(ROOT, join(dirname(path), `${worker}.js`))
    return `new URL(${JSON.stringify(`./${inside}`)}, 'file:///$bunfs/root/')`
  })
}

/**
 * The module that stands in for src/system/embedded.ts: it imports each file that is served, as it is.
 * @param folder a copy of `public`: the command line imports some of the same files as code, and a path is one or the other
 */
export function embeddedModule(folder: string): string {
  const names = [...new Bun.Glob('**/*').scanSync(folder)].toSorted()
  const imports = names.map(
    (name, i) => `import file${i} from ${JSON.stringify(join(folder, name))} with { type: 'file' }`,
  )
  const pages = names.map((name, i) => `${JSON.stringify(name)}: file${i}`)
  const files = names.filter((name) => !name.endsWith('.html'))
  const version = computeVersion(files.map((name) => [name, readFileSync(join(folder, name))]))
  return `${imports.join('\n')}\nexport const EMBEDDED = { pages: { ${pages.join(', ')} }, version: '${version}' }\n`
}
