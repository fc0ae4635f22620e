import { afterAll, expect, test } from 'bun:test'
import type { Session, WorkspaceId } from '../../src/db/database'
import type { Merging, Portable } from '../../src/db/portable'
import { Refusal } from '../../src/http/problem'
import { mergeAll } from '../../src/workspace/transfer/merge'
import { Report } from '../../src/workspace/transfer/report'
import { openArchive } from '../../src/workspace/transfer/zip-source'
import { makeWorld } from '../support/world'
import { archiveOf } from './archive-support'

/** In which order the parts of features are merged, and what they can ask of the archive. */

const world = await makeWorld()
afterAll(world.close)

const id = '0'.repeat(32) as WorkspaceId
const session: Session = { workspace: { id, kind: 'key' }, db: world.db }
const LIMITS = { entries: 100, bytes: 1e6, ratio: () => 200, lines: 1000 }

type Item = { readonly name: string; readonly does?: string }

/** A type whose merging tells `seen` what it does. */
function teller(type: string, seen: string[]): Portable {
  const no = () => new Refusal('conflict', 'No.')
  const later: Record<string, (name: string, merging: Merging) => void> = {
    waits: (name, merging) => merging.later(async () => void seen.push(`${name} later`)),
    fails: (_, merging) =>
      merging.later(async () => {
        throw no()
      }),
    again: (name, merging) => merging.later(async () => merging.later(async () => void seen.push(`${name} at last`))),
    refused: (name, merging) => {
      merging.later(async () => void seen.push(`${name} never`))
      throw no()
    },
  }
  return {
    type,
    async *items() {},
    async merge(_, item, merging) {
      const { name, does = '' } = item as Item
      seen.push(name)
      later[does]?.(name, merging)
      if (does === 'reads') seen.push(String(await merging.file(`media/${name}`)))
      return 'created'
    },
    finish: async () => void seen.push(`${type} ends`),
  }
}

test('types come in their order, what is put off after all of them, and the end after that', async () => {
  const seen: string[] = []
  const lines = {
    second: [
      { name: 'c', does: 'again' },
      { name: 'd', does: 'waits' },
    ],
    first: [
      { name: 'a', does: 'waits' },
      { name: 'b', does: 'refused' },
      { name: 'f', does: 'fails' },
    ],
  }
  const report = new Report(['first', 'second'])
  const source = await openArchive(archiveOf(lines), LIMITS, ['first', 'second'])
  await mergeAll(session, [teller('first', seen), teller('second', seen)], source, report, () => {})
  expect(seen).toEqual(['a', 'b', 'f', 'c', 'd', 'a later', 'd later', 'c at last', 'first ends', 'second ends'])
  expect(report.done(false)).toEqual({
    dry_run: false,
    resources: {
      first: { created: 2, updated: 0, unchanged: 0, refused: 1 },
      second: { created: 2, updated: 0, unchanged: 0, refused: 0 },
    },
    lines: [
      { where: 'data/first.jsonl:2', code: 'conflict', detail: 'No.' },
      { where: 'data/first.jsonl:3', code: 'conflict', detail: 'No.' },
    ],
    lines_total: 2,
  })
})

test('a file of the archive is there for who asks; one that is broken, or not there, is null', async () => {
  const seen: string[] = []
  const names = ['whole', 'broken', 'absent']
  const entries = [
    { name: 'media/whole', data: 'cat' },
    { name: 'media/broken', data: 'dog', crc: 7 },
  ]
  const archive = archiveOf({ first: names.map((name) => ({ name, does: 'reads' })) }, entries)
  const report = new Report(['first'])
  await mergeAll(session, [teller('first', seen)], await openArchive(archive, LIMITS, ['first']), report, () => {})
  expect(seen).toEqual(['whole', 'cat', 'broken', 'null', 'absent', 'null', 'first ends'])
})
