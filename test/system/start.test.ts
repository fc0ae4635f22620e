import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What a start loads: every module adds to its time and to the memory of an idle server. */

const ROOT = join(import.meta.dir, '../..')

/** Everything that a module of src imports statically, be it through others: files, and modules of the runtime. */
function loadedWith(entry: string): string[] {
  const loaded = new Set([join(ROOT, entry)])
  for (const file of loaded) {
    if (!/\.(?:ts|mjs|js)$/.test(file)) continue
    const loader = file.endsWith('.ts') ? 'ts' : 'js'
    for (const { path, kind } of new Bun.Transpiler({ loader }).scanImports(readFileSync(file, 'utf8')))
      if (kind === 'import-statement') loaded.add(Bun.resolveSync(path, dirname(file)))
  }
  return [...loaded].map((path) => path.replace(`${ROOT}/`, ''))
}

const atStart = loadedWith('src/main.ts')

test('a start loads none of the large modules of the runtime', () => {
  const builtIn = atStart.filter((path) => path.startsWith('node:') || path.startsWith('bun:'))
  expect(builtIn.toSorted().join(' ')).toBe('bun:jsc bun:sqlite node:fs node:fs/promises node:path node:perf_hooks')
})

test.each([
  ['documents', /^src\/openapi\/(?!docs|groups)/],
  ['words of dates', /^src\/lib\/civil\/words\//],
  ['zip archives', /^src\/lib\/zip\//],
  ['calendars', /^src\/lib\/ical\/(?:write|read)/],
  ['Anki', /^src\/lib\/anki\/|^src\/flashcards\/anki\//],
  ['language models', /^src\/chat\/(?:upstream|local)\//],
  ['MCP', /^node_modules\/@modelcontextprotocol\//],
  ['HTML', /^node_modules\/(?:marked|sanitize-html|htmlparser2|temml)\//],
])('a start does not load what handles %s', (_, path) => {
  expect(atStart.filter((one) => path.test(one))).toEqual([])
})

test('what is imported statically is found', () => {
  expect(atStart).toEqual(expect.arrayContaining(['src/app.ts', 'src/tasks/service.ts']))
  expect(loadedWith('src/openapi/document.ts')).toContain('src/openapi/to-openapi-31.ts')
  expect(loadedWith('src/lib/zip/write.ts')).toContain('node:zlib')
})
