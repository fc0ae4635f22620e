import { Database } from 'bun:sqlite'
import { expect, spyOn, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { createSearchEngine } from '../../src/search/engine'
import { unpackForms } from '../../src/search/forward'
import { IndexFile } from '../../src/search/index.sqlite'
import { runs } from '../support/full'
import { type Indexed, makeIndexed, OTHER, OWN } from './indexed'

/** That an index that was kept through changes is as one made again, and that whatever befalls it is mended. */

const word = fc.constantFrom('apple', 'apples', 'banana', 'C++', 'e-mail', 'getName', '会議', '10:30', 'naïve')
const phrase = fc.array(word, { maxLength: 6 }).map((words) => words.join(' '))
const text = fc.record({ title: phrase, tags: fc.array(word, { maxLength: 2 }), body: phrase })
const key = fc.integer({ min: 1, max: 12 })
const change = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), key, text }),
  fc.record({ kind: fc.constant('erase' as const), key }),
  fc.record({ kind: fc.constant('find' as const) }),
  fc.record({ kind: fc.constant('restart' as const) }),
)

const pathOf = ({ folder }: Indexed, workspace: string = OWN) => join(folder, `${workspace}.db`)

/** All that a file says, without the numbers that depend on when it was made. */
function contentsOf(indexed: Indexed) {
  const db = new Database(pathOf(indexed), { readonly: true })
  // A Worker that has just ended may still be closing the file, as any reader has to expect.
  db.run('PRAGMA busy_timeout = 10000')
  type Row = Record<string, string | number | Uint8Array>
  const all = (sql: string) => db.query<Row, []>(sql).all()
  const forms = new Map(all('SELECT form, word, also FROM forms').map((row) => [row.form, `${row.word} ${row.also}`]))
  const docs = all('SELECT doc, key, type, hash, forms FROM docs ORDER BY key').map((row) => {
    const { starts, forms: own } = unpackForms(row.forms as Uint8Array)
    return { ...row, forms: [...own].map((form) => forms.get(form)), starts, doc: 0, number: row.doc }
  })
  db.run("CREATE VIRTUAL TABLE temp.places USING fts5vocab(main, words, 'instance')")
  const names = new Map(all('SELECT doc, key FROM docs').map((row) => [row.doc, row.key]))
  const places = all('SELECT term, doc, col, offset FROM places').map(({ doc, ...row }) => ({
    ...row,
    key: names.get(doc),
  }))
  const state = all("SELECT value ->> 'documents' AS documents, value ->> 'lengths' AS lengths FROM state")
  const counts = all('SELECT word, also, docs FROM forms ORDER BY word, also')
  const terms = all('SELECT term, word FROM terms JOIN forms USING (form) ORDER BY term, word, also')
  db.close()
  const sorted = places.map((one) => JSON.stringify(one)).sort()
  return { docs: docs.map(({ number: _, ...row }) => row), places: sorted, state, counts, terms }
}

test('an index that was kept through changes is as one made again', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 40 }), async (list) => {
      const indexed = await makeIndexed()
      await indexed.write(99, { title: 'first' })
      for (const one of list) {
        if (one.kind === 'write') await indexed.write(one.key, one.text)
        else if (one.kind === 'erase') await indexed.erase(one.key)
        else if (one.kind === 'find') await indexed.find('apple')
        else await indexed.restart()
      }
      await indexed.find('apple')
      await indexed.restart()
      const kept = contentsOf(indexed)
      rmSync(pathOf(indexed))
      await indexed.restart()
      await indexed.find('apple')
      await indexed.restart()
      expect(contentsOf(indexed)).toEqual(kept)
      await indexed.db.close()
    }),
    { numRuns: runs(25) },
  )
})

async function makeFruits() {
  const indexed = await makeIndexed()
  for (let key = 1; key <= 30; key++)
    await indexed.write(key, { title: `grape ${key}`, body: key % 2 ? 'odd fig' : 'even' })
  const ask = async (query = 'fig') => {
    const { found, limited } = await indexed.find(query, { limit: 100 })
    expect(limited).toBe(false)
    return found.map((one) => one.key).sort((a, b) => a - b)
  }
  const odd = await ask()
  expect(odd).toHaveLength(15)
  return { indexed, ask, odd }
}

const alter = (sql: string) => (path: string) => {
  const db = new Database(path)
  db.run(sql)
  db.close()
}

test.each<[string, (path: string) => void]>([
  ['is gone', (path) => rmSync(path)],
  ['is empty', (path) => writeFileSync(path, '')],
  ['is no database', (path) => writeFileSync(path, 'x'.repeat(10_000))],
  ['is cut off', (path) => writeFileSync(path, readFileSync(path).subarray(0, 6000))],
  ['has pages of something else', (path) => writeFileSync(path, readFileSync(path).fill(0x5a, 4096))],
  ['is of another version', alter("UPDATE state SET value = json_set(value, '$.version', 1000)")],
  ['is of another history', alter('UPDATE docs SET seq = seq + 1000 WHERE doc = 1')],
  ['knows changes that the feed has not', alter("UPDATE state SET value = json_set(value, '$.seq', 1000000)")],
])('a file that %s is made again', async (_, harm) => {
  const { indexed, ask, odd } = await makeFruits()
  await indexed.restart()
  for (const end of ['-wal', '-shm']) rmSync(pathOf(indexed) + end, { force: true })
  harm(pathOf(indexed))
  expect(await ask()).toEqual(odd)
  await indexed.erase(1)
  expect(await ask()).toEqual(odd.slice(1))
  await indexed.db.close()
})

test('a file that is damaged while it is open is made again', async () => {
  const { indexed, ask, odd } = await makeFruits()
  for (const end of ['', '-wal']) writeFileSync(pathOf(indexed) + end, Buffer.alloc(40_960, 0x5a))
  await indexed.erase(1)
  expect(await ask()).toEqual(odd.slice(1))
  await indexed.db.close()
})

test('where the folder cannot be written, indexes are in memory', async () => {
  const indexed = await makeIndexed()
  // A file is where the folder would be.
  writeFileSync(indexed.folder, '')
  await indexed.write(1, { title: 'grape' })
  expect((await indexed.find('grape')).found).toHaveLength(1)
  await indexed.write(2, { title: 'grape' })
  expect((await indexed.find('grape')).found).toHaveLength(2)
  await indexed.db.close()
})

/** What a file and its log hold. */
function bytesOf(indexed: Indexed): Buffer {
  const paths = ['', '-wal'].map((end) => pathOf(indexed) + end)
  return Buffer.concat(paths.filter((path) => existsSync(path)).map((path) => readFileSync(path)))
}

test('a file holds nothing of what was erased, and is gone with its workspace', async () => {
  const { indexed } = await makeFruits()
  await indexed.write(31, { title: 'Qzvxerlin', body: '㐀㐁㐂 wuxyfloop' })
  expect((await indexed.find('qzvxerlin')).found).toHaveLength(1)
  const bytes = () => bytesOf(indexed)
  const pieces = ['qzvxerl', 'uxyfloop', '㐀㐁']
  expect(pieces.filter((piece) => bytes().includes(piece))).toEqual(pieces)
  await indexed.erase(31)
  await indexed.run()
  expect(pieces.filter((piece) => bytes().includes(piece))).toEqual([])
  indexed.files().remove(OWN)
  await indexed.restart()
  expect(readdirSync(indexed.folder)).toEqual([])
  await indexed.db.close()
})

test('an exact word ranks all notes that have it, not the newest alone', async () => {
  const indexed = await makeIndexed()
  await indexed.write(1, { title: 'fig' })
  for (let key = 2; key <= 130; key++) await indexed.write(key, { body: 'a fig among other words' })
  expect((await indexed.find('"fig"')).found[0]?.key).toBe(1)
  await indexed.db.close()
})

test('what waits while its index is removed finds all the same', async () => {
  const { indexed } = await makeFruits()
  const first = indexed.find('grape')
  indexed.files().remove(OWN)
  const [one, two] = await Promise.all([first, indexed.find('grape'), indexed.run()])
  expect(two.found).toEqual(one.found)
  await indexed.db.close()
})

/** An engine that was started, with two texts in its index. */
async function makeStarted() {
  const indexed = await makeIndexed()
  const { db, sources, log, folder } = indexed
  const search = createSearchEngine({ db, sources, log, folder, now: () => 0, ticks: () => performance.now() })
  search.start()
  const piece = 'qzvxerlin'
  await indexed.write(1, { title: piece })
  await indexed.write(2, { title: 'fig' })
  const query = { kind: 'text', field: null, text: piece, match: 'whole' } as const
  const { found } = await search.find({ db, workspace: { id: OWN, kind: 'key' } }, { query, types: ['note'], limit: 1 })
  expect(found).toHaveLength(1)
  expect(bytesOf(indexed).includes(piece)).toBe(true)
  return { indexed, search, piece }
}

test.each<[string, (indexed: Indexed) => Promise<void>]>([
  ['erased', (indexed) => indexed.erase(1)],
  ['replaced', (indexed) => indexed.write(1, { title: 'grape' })],
])('what was %s leaves the file soon, without a search', async (_, change) => {
  const { indexed, search, piece } = await makeStarted()
  await change(indexed)
  search.wake(OWN)
  for (let tries = 0; tries < 50 && bytesOf(indexed).includes(piece); tries++) await Bun.sleep(100)
  expect(bytesOf(indexed).includes(piece)).toBe(false)
  await search.stop()
  await indexed.db.close()
})

test('a new text costs 4 statements at most until it is indexed with others, or each minute', async () => {
  const { indexed, search } = await makeStarted()
  const spies = [
    ...(['all', 'get', 'run'] as const).map((name) => spyOn(indexed.db, name)),
    ...(['all', 'get', 'run'] as const).map((name) => spyOn(IndexFile.prototype, name)),
  ]
  const countStatements = () => spies.reduce((sum, { mock }) => sum + mock.calls.length, 0)
  const has = (name: string) => bytesOf(indexed).includes(name)
  await indexed.write(3, { title: 'plumzin' })
  const before = countStatements()
  search.wake(OWN)
  await Bun.sleep(1500)
  expect(countStatements() - before).toBeGreaterThan(0)
  expect(countStatements() - before).toBeLessThanOrEqual(4)
  for (const spy of spies) spy.mockRestore()
  expect([has('plumzin'), search.countPending()]).toEqual([false, 1])
  await search.jobs[0]?.run(new AbortController().signal)
  expect([has('plumzin'), search.countPending()]).toEqual([true, 0])
  for (let key = 10; key < 43; key++) await indexed.write(key, { title: 'pearzin' })
  search.wake(OWN)
  for (let tries = 0; tries < 50 && !has('pearzin'); tries++) await Bun.sleep(100)
  expect(has('pearzin')).toBe(true)
  await search.stop()
  await indexed.db.close()
})

test('only what was searched has a file, and 70 of them are open one after the other', async () => {
  const indexed = await makeIndexed()
  await indexed.write(1, { title: 'grape' }, OTHER)
  await indexed.run(OTHER)
  expect(existsSync(indexed.folder)).toBe(false)
  const many = Array.from({ length: 70 }, (_, i) => i.toString(16).padStart(32, '0') as typeof OWN)
  for (const one of many) await indexed.write(1, { title: 'grape' }, one)
  for (const one of [...many, ...many]) expect((await indexed.find('grape', {}, one)).found).toHaveLength(1)
  const count = (end: string) => readdirSync(indexed.folder).filter((name) => name.endsWith(end)).length
  // SQLite deletes the log of a file that is closed.
  expect([count('.db'), count('.db-wal')]).toEqual([70, 64])
  await indexed.db.close()
})

test('a workspace without a text gets no file, however often it is searched, and one with its first', async () => {
  const indexed = await makeIndexed()
  for (let i = 0; i < 3; i++) expect((await indexed.find('grape')).found).toEqual([])
  expect(existsSync(indexed.folder)).toBe(false)
  await indexed.write(1, { title: 'grape' })
  expect((await indexed.find('grape')).found).toHaveLength(1)
  expect(existsSync(pathOf(indexed))).toBe(true)
  await indexed.restart()
  expect((await indexed.find('grape')).found).toHaveLength(1)
  await indexed.db.close()
})

test('a Worker writes long texts into the same index, and makes a damaged file again', async () => {
  const indexed = await makeIndexed()
  const long = Array.from({ length: 12_000 }, (_, i) => `word${i % 5000} C++`).join(' ')
  await indexed.write(1, { title: 'grape', body: long })
  await indexed.write(2, { title: 'fig', body: long })
  let turns = 0
  const counting = setInterval(() => turns++, 1)
  expect((await indexed.find('word4999')).found).toHaveLength(2)
  clearInterval(counting)
  expect(turns).toBeGreaterThan(5)
  await indexed.write(2, { title: 'fig' })
  expect((await indexed.find('word4999')).found.map(({ key }) => key)).toEqual([1])
  for (const end of ['', '-wal']) writeFileSync(pathOf(indexed) + end, Buffer.alloc(40_960, 0x5a))
  await indexed.write(3, { title: 'fig', body: long })
  expect((await indexed.find('word4999')).found.map(({ key }) => key).sort()).toEqual([1, 3])
  expect((await indexed.find('fig')).found).toHaveLength(2)
  await indexed.restart()
  const kept = contentsOf(indexed)
  rmSync(pathOf(indexed))
  await indexed.find('fig')
  await indexed.restart()
  expect(contentsOf(indexed)).toEqual(kept)
  await indexed.db.close()
})

test('a file is deleted 30 days after its last search, even with later writes, and when the clock is set back', async () => {
  const indexed = await makeIndexed()
  const day = 86_400_000
  const tidy = () => indexed.files().tidy(new AbortController().signal)
  const isThere = () => existsSync(pathOf(indexed))
  indexed.clock.now = 1000 * day
  await indexed.write(1, { title: 'grape' })
  await indexed.find('grape')
  indexed.clock.now += 29 * day
  await tidy()
  expect(isThere()).toBe(true)
  await indexed.find('grape')
  indexed.clock.now += 29 * day
  await indexed.write(2, { title: 'grape' })
  await indexed.run()
  await indexed.restart()
  await tidy()
  expect(isThere()).toBe(true)
  indexed.clock.now += 2 * day
  await tidy()
  expect(isThere()).toBe(false)
  expect((await indexed.find('grape')).found).toHaveLength(2)
  indexed.clock.now -= 40 * day
  await tidy()
  expect(isThere()).toBe(false)
  expect((await indexed.find('grape')).found).toHaveLength(2)
  await indexed.db.close()
})

test('erased texts leave the file when the next process tidies up', async () => {
  const { indexed } = await makeFruits()
  await indexed.erase(1)
  await indexed.restart()
  await indexed.files().tidy(new AbortController().signal)
  await indexed.restart()
  const docs: readonly Record<string, unknown>[] = contentsOf(indexed).docs
  expect(docs.map(({ key }) => key)).toEqual(Array.from({ length: 29 }, (_, i) => i + 2))
  await indexed.db.close()
})
