import { expect, test } from 'bun:test'
import { join } from 'node:path'

/** What is off costs nothing: its modules are not even loaded. */

const SRC = join(import.meta.dir, '../../../src')
const IMPORT = /^(?:import|export) (?!type )[^']*'([^']*\/meaning\/[^']*)'|import\('([^']*\/meaning\/[^']*)'\)/gm

test('what is outside of meaning loads none of it but what erases a workspace, except on demand', async () => {
  const found: string[] = []
  for (const path of new Bun.Glob('**/*.ts').scanSync(SRC)) {
    if (path.startsWith('search/meaning/')) continue
    for (const [, always, demanded] of (await Bun.file(join(SRC, path)).text()).matchAll(IMPORT))
      found.push(`${path} ${always ?? `on demand ${demanded}`}`)
  }
  expect(found.toSorted()).toEqual([
    'app.ts ./search/meaning/vector-store',
    'app.ts on demand ./search/meaning/meaning',
    'app.ts on demand ./search/meaning/remote',
  ])
})
