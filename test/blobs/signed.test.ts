import { expect, test } from 'bun:test'
import { createSignedAddresses } from '../../src/blobs/signed'
import type { WorkspaceId } from '../../src/db/database'
import { createAddressSigner } from '../../src/gate/keys'
import { openMigrated } from '../support/database'
import { makeFolder } from '../support/folder'

const DAY_MS = 86_400_000
const WORKSPACE = 'ab'.repeat(16) as WorkspaceId
const ID = '01900000-0000-7000-8000-000000000001'

test('an address is of one path, one secret and two days', async () => {
  const clock = { now: 100 * DAY_MS }
  const db = await openMigrated(`${makeFolder()}/satchel.db`, clock.now, () => 'x')
  const make = (path: string, secret: number) =>
    createSignedAddresses({
      ...{ path, db, now: () => clock.now, sign: createAddressSigner(new Uint8Array(32).fill(secret)) },
      findWorkspace: async (_, id) => ({ id, kind: 'key' }),
    })
  const own = make('/api/a/', 1)
  const address = own.write(WORKSPACE, ID)
  const token = address.slice('/api/a/'.length)
  expect(own.read(token)).toEqual({ workspace: WORKSPACE, id: ID })
  expect(make('/api/b/', 1).read(token)).toBeNull()
  expect(make('/api/a/', 2).read(token)).toBeNull()
  expect(own.read(ID)).toBeNull()
  expect(own.findOwner(`/api/b/${token}`)).toBeNull()
  expect(own.findOwner(address)).not.toBeNull()
  clock.now += DAY_MS
  expect(own.read(token)).not.toBeNull()
  clock.now += DAY_MS
  expect(own.read(token)).toBeNull()
  clock.now -= 3 * DAY_MS
  expect(own.read(token)).toBeNull()
  return db.close()
})
