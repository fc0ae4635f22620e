/** What goes into the executable beside what src/cli.ts imports. */
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { findDocsAssets } from '../src/openapi/docs-assets'

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
 * The module that stands in for src/openapi/embedded.ts: it imports each file that is served, as it is.
 * @param folder a copy of `public`: the command line imports some of the same files as code, and a path is one or the other
 */
export function embeddedModule(folder: string): string {
  const pages = [...new Bun.Glob('**/*').scanSync(folder)].toSorted()
  const groups = {
    pages: Object.fromEntries(pages.map((name) => [name, join(folder, name)])),
    docs: findDocsAssets(),
  }
  const imports: string[] = []
  const members = Object.entries(groups).map(([group, files]) => {
    const names = Object.entries(files).map(([name, file]) => {
      const local = `file${imports.length}`
      imports.push(`import ${local} from ${JSON.stringify(file)} with { type: 'file' }`)
      return `${JSON.stringify(name)}: ${local}`
    })
    return `${group}: { ${names.join(', ')} }`
  })
  return `${imports.join('\n')}\nexport const EMBEDDED = { ${members.join(', ')} }\n`
}
