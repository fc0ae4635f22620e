import { afterEach, expect, test } from 'bun:test'
import type { WorkspaceId } from '../../src/db/database'
import { ask, closeWorlds, ON_METER, world } from './asking'
import { describeLimits } from './limits-cases'
import { counted } from './world'

afterEach(closeWorlds)

describeLimits(ON_METER)

test('what shows the scratch space of an address is counted on the address, whichever its site', async () => {
  const address = 'a'.repeat(32)
  const owner = { id: 'b'.repeat(32) as WorkspaceId, kind: 'scratch', address } as const
  const shown = { workspace: owner, subject: 'c'.repeat(32) }
  const findOwner = (path: string) => (path === '/api/ok' ? Promise.resolve(shown) : null)
  const w = world({ deps: { secretPaths: { prefixes: ['/api/o'], findOwner } } })
  await ask(w, 3, '/api/ok')
  w.meter.close()
  expect(
    counted(w.folder, `SELECT used FROM request_counts WHERE tier = 'free' AND hex(subject) = upper('${address}')`),
  ).toEqual([[3]])
})
