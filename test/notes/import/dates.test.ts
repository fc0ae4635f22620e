import { afterAll, describe, expect, test } from 'bun:test'
import { readDirectory, toZipSource } from '../../../src/lib/zip/read'
import type { NotesImportParams } from '../../../src/notes/import/parsed'
import { ZIP_LIMITS } from '../../../src/notes/import/zip-file'
import { MANY_CALLERS, makeKey, makeWorld } from '../../support/world'
import { zipOf } from '../../support/zip'
import { importsOf, ZIP } from './support'

const world = await makeWorld({ settings: MANY_CALLERS })
const base = world.listen()
afterAll(world.close)

const NOW = new Date(world.clock.now).toISOString()
const [CREATED, UPDATED, LATER] = ['2019-01-02T03:04:05.000Z', '2020-01-02T03:04:06.000Z', '2021-01-02T03:04:08.000Z']
const FUTURE = '2999-01-01T00:00:00.000Z'

let keys = 0
function stranger() {
  const key = makeKey(++keys)
  const bring = importsOf(world, key)
  return {
    key,
    import: (bytes: Uint8Array<ArrayBuffer>, params: NotesImportParams = ZIP) => bring(bytes, { size: 10, params }),
    async export() {
      const response = await fetch(`${base}api/notes/export`, { headers: { 'X-API-Key': key } })
      return readDirectory(toZipSource(await response.bytes()), ZIP_LIMITS)
    },
    notes: async () => (await world.call({ key }, 'GET', '/api/notes?sort=title')).body.items,
    call: (method: string, path: string, body?: object) => world.call({ key }, method, path, body),
  }
}

const extended = (iso: string) => {
  const extra = Buffer.alloc(9)
  extra.writeUInt16LE(0x5455)
  extra.writeUInt16LE(5, 2)
  extra.writeUInt8(1, 4)
  extra.writeInt32LE(Date.parse(iso) / 1000, 5)
  return new Uint8Array(extra)
}
const vault = (text: string, changedAt: string) => zipOf([{ name: 'a.md', data: text, extra: extended(changedAt) }])
const datesOf = ({ created_at, updated_at }: { created_at: string; updated_at: string }) => [created_at, updated_at]

describe('the dates of an imported note', () => {
  test('are those that it says, else those of its file', async () => {
    const who = stranger()
    const file = vault(`---\ncreated: ${CREATED}\n---\nx`, UPDATED)
    expect(await who.import(file)).toMatchObject([{ action: 'created', warnings: [] }])
    expect((await who.notes()).map(datesOf)).toEqual([[CREATED, UPDATED]])
    // And its file is as old again.
    expect((await who.export())[0]).toMatchObject({ name: 'a.md', changedAt: Date.parse(UPDATED) })
  })

  test.each([
    [`created: ${FUTURE}`, UPDATED, [UPDATED, UPDATED]],
    [`updated: ${FUTURE}\ncreated: ${CREATED}`, UPDATED, [CREATED, NOW]],
    [`created: ${UPDATED}`, CREATED, [UPDATED, UPDATED]],
    [`created: ${FUTURE}\nupdated: ${FUTURE}`, CREATED, [NOW, NOW]],
  ])('%j is not taken from a file of %s, and the report says so', async (yaml, changedAt, dates) => {
    const who = stranger()
    const [item] = await who.import(vault(`---\n${yaml}\n---\nx`, changedAt))
    expect(item).toMatchObject({ action: 'created', warnings: [{ code: 'date_changed' }] })
    expect((await who.notes()).map(datesOf)).toEqual([dates])
  })

  test('follow the file; the second never goes back', async () => {
    const who = stranger()
    await who.import(vault('one', UPDATED))
    expect(await who.import(vault('two', LATER))).toMatchObject([{ action: 'updated' }])
    expect((await who.notes()).map(datesOf)).toEqual([[UPDATED, LATER]])
    const [{ id }] = await who.notes()
    await who.call('PATCH', `/api/notes/${id}`, { body: 'here' })
    const overwrite: NotesImportParams = { ...ZIP, on_conflict: 'overwrite' }
    expect(await who.import(vault('three', LATER), overwrite)).toMatchObject([{ action: 'updated' }])
    expect((await who.notes()).map(datesOf)).toEqual([[UPDATED, NOW]])
  })
})

describe('the time of a file of a vault', () => {
  const file = (text: string, changedAt?: string) =>
    zipOf([{ name: 'f/a.png', data: text, ...(changedAt ? { extra: extended(changedAt) } : {}) }])
  const first = async (me: ReturnType<typeof stranger>) =>
    (await me.call('GET', '/api/notes/attachments')).body.items[0]

  test.each([
    ['that its entry has', UPDATED, [UPDATED, UPDATED]],
    ['of the import, if the entry has none', undefined, [NOW, NOW]],
    ['of the import, if that of the entry is in the future', '2030-01-01T00:00:00.000Z', [NOW, NOW]],
  ])('is the one %s', async (_, changedAt, dates) => {
    const me = stranger()
    await me.import(file('x', changedAt))
    expect(datesOf(await first(me))).toEqual(dates)
  })

  test.each([
    ['the later one of the entry', LATER, LATER],
    ['that of the import, since none goes back', CREATED, NOW],
  ])('that is overwritten is %s', async (_, changedAt, updated) => {
    const me = stranger()
    await me.import(file('x', UPDATED))
    await me.import(file('y', changedAt), { ...ZIP, on_conflict: 'overwrite' })
    expect(datesOf(await first(me))).toEqual([UPDATED, updated])
    // The same bytes again change nothing.
    await me.import(file('y', NOW), { ...ZIP, on_conflict: 'overwrite' })
    expect(datesOf(await first(me))).toEqual([UPDATED, updated])
  })

  test('is in the export', async () => {
    const me = stranger()
    await me.import(file('x', UPDATED))
    const [entry] = await me.export()
    expect(entry).toMatchObject({ name: 'f/a.png', changedAt: Date.parse(UPDATED) })
  })
})
