import { afterAll, describe, expect, test } from 'bun:test'
import { setImmediate } from 'node:timers/promises'
import { makeFolder } from '../support/folder'
import { contentOf, fileOf, makeKit, notes } from './kit'

const kit = await makeKit({ folder: makeFolder() })
afterAll(() => kit.close())

const under = (key: string, workspace: string, more = {}) => ({
  workspace,
  headers: { 'Idempotency-Key': key, ...more },
})

describe('an import under an Idempotency-Key', () => {
  test('is run once: who repeats it meanwhile waits for the same run, but not another workspace', async () => {
    const three = [1, 2, 3].map(() => kit.send(notes(300), under('one', 'a')))
    const isStored = "SELECT 1 FROM import_runs WHERE idempotency_key = 'one'"
    while ((await kit.db.all(isStored)).length === 0) await setImmediate()
    expect((await kit.send(notes(2), under('one', 'z'))).body.totals.created).toBe(2)
    const answers = await Promise.all(three)
    expect(answers.map(({ status, body }) => [status, body.totals.created])).toEqual([1, 2, 3].map(() => [200, 300]))
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect(await kit.db.all(isStored)).toHaveLength(2)
  })

  test('is answered once more as it was, packed or not', async () => {
    const first = await kit.send(notes(5), under('two', 'b'))
    const body = Bun.gzipSync(Buffer.from(fileOf(notes(5))))
    const again = await kit.call('POST', '/api/lines', { ...under('two', 'b', { 'Content-Encoding': 'gzip' }), body })
    expect([again.status, again.body]).toEqual([200, first.body])
    expect([first, again].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, 'true'])
    expect((await contentOf(kit.db, 'b')).rows).toHaveLength(5)
  })

  test('refuses another file, also while it runs', async () => {
    const first = kit.send(notes(300), under('three', 'c'))
    const isStored = "SELECT 1 FROM import_runs WHERE idempotency_key = 'three'"
    while ((await kit.db.all(isStored)).length === 0) await setImmediate()
    const other = await kit.send(notes(2, 900), under('three', 'c'))
    expect([other.status, other.body.code]).toEqual([409, 'conflict'])
    expect((await first).status).toBe(200)
    expect((await kit.send(notes(2, 900), under('three', 'c'))).body.code).toBe('conflict')
    expect((await contentOf(kit.db, 'c')).rows).toHaveLength(300)
  })

  test('that failed is run anew, and a dry run is always run', async () => {
    const failing = [{ refused: 'No.' }]
    const ids = [await kit.send(failing, under('four', 'd')), await kit.send(failing, under('four', 'd'))]
    expect(new Set(ids.map(({ body }) => body.import_id)).size).toBe(2)
    const dry = { ...under('five', 'd'), path: '/api/lines/dry' }
    expect((await kit.send(notes(1), dry)).body.totals.created).toBe(1)
    expect((await kit.send(notes(2), dry)).body.totals.created).toBe(2)
  })
})
