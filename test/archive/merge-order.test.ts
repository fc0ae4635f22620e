import { afterAll, expect, test } from 'bun:test'
import type { ArchivedType } from '../../src/archive/archived-type'
import type { WorkspaceId } from '../../src/db/database'
import { ApiError } from '../../src/http/api-error'
import { makeWorld } from '../support/world'
import { takeArchive } from './steps-support'
import { archiveOf } from './support'

/** In which order the parts of features are merged, and what they can ask of the archive. */

const world = await makeWorld()
afterAll(world.close)

const place = { db: world.db, workspace: '0'.repeat(32) as WorkspaceId }
const taken = (archivedTypes: readonly ArchivedType[], archive: Uint8Array<ArrayBuffer>, kill?: () => boolean) =>
  takeArchive(archivedTypes, archive, { ...place, ...(kill && { kill }) })

interface Item {
  readonly name: string
  readonly does?: string
}

/** A type whose merging tells `seen` what it does. */
function teller(type: string, seen: string[], turns = 0): ArchivedType {
  const no = () => new ApiError('conflict', 'No.')
  let left = turns
  return {
    type,
    async *items() {},
    async *files() {},
    async merge(_, item, bytes) {
      const { name, does = '' } = item as Item
      seen.push(name)
      if (does === 'reads') seen.push(bytes === null ? 'null' : Buffer.from(bytes.read(0, bytes.size)).toString())
      if (does === 'refused') throw no()
      return ['waits', 'fails', 'again', 'misses'].includes(does)
        ? { action: 'created', pending: [does, 0] }
        : 'created'
    },
    async relate(_, item, left) {
      const { name } = item as Item
      const [does, count] = left as [string, number]
      seen.push(`${name} later`)
      if (does === 'fails') throw no()
      if (does === 'again' && count < 2) return { pending: [does, count + 1] }
      return does === 'misses' ? [no(), new ApiError('not_found', 'Gone.')] : []
    },
    finish: async () => {
      seen.push(`${type} ends`)
      return left-- > 0
    },
  }
}

const LINES = {
  second: [
    { name: 'c', does: 'again' },
    { name: 'd', does: 'waits' },
  ],
  first: [
    { name: 'a', does: 'waits' },
    { name: 'b', does: 'refused' },
    { name: 'f', does: 'fails' },
    { name: 'm', does: 'misses' },
    { name: 'x' },
  ],
}

test('types come in their order, what was left after all of them, and the end after that', async () => {
  const seen: string[] = []
  const { run, lines } = await taken([teller('first', seen, 1), teller('second', seen)], archiveOf(LINES))
  const later = ['a later', 'f later', 'm later', 'c later', 'c later', 'c later', 'd later']
  const ends = ['first ends', 'first ends', 'second ends']
  expect(seen).toEqual(['a', 'b', 'f', 'm', 'x', 'c', 'd', ...later, ...ends])
  expect(run.tally.items).toEqual({ first: { created: 4, failed: 1 }, second: { created: 2 } })
  const told = lines.map(([where, { action, warnings = [] }]) => [where, action, warnings.map(({ code }) => code)])
  expect(told).toEqual([
    ['data/first.jsonl:1', 'created', []],
    ['data/first.jsonl:2', 'failed', ['conflict']],
    ['data/first.jsonl:3', 'created', ['conflict']],
    ['data/first.jsonl:4', 'created', ['conflict', 'not_found']],
    ['data/first.jsonl:5', 'created', []],
    ['data/second.jsonl:1', 'created', []],
    ['data/second.jsonl:2', 'created', []],
  ])
})

test.each([1, 2, 3, 4, 5])('killed before the end of its step %d, it goes on, and tells the same', async (last) => {
  const whole = await taken([teller('first', []), teller('second', [])], archiveOf(LINES))
  let steps = 0
  const again = await taken([teller('first', []), teller('second', [])], archiveOf(LINES), () => ++steps === last)
  expect(steps).toBeGreaterThan(last)
  expect([again.run.tally, again.lines]).toEqual([whole.run.tally, whole.lines])
})

test('a file of the archive is there for who it belongs to; one that is broken, or not there, is null', async () => {
  const seen: string[] = []
  const names = ['whole', 'broken', 'absent']
  const entries = [
    { name: 'first/whole', data: 'cat' },
    { name: 'first/broken', data: 'dog', crc: 7 },
    { name: 'second/absent', data: 'cow' },
  ]
  const archive = archiveOf({ first: names.map((name) => ({ name, does: 'reads' })) }, entries)
  await taken([teller('first', seen)], archive)
  expect(seen).toEqual(['whole', 'cat', 'broken', 'null', 'absent', 'null', 'first ends'])
})
