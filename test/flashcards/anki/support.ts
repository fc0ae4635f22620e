import { Database } from 'bun:sqlite'
import { expect } from 'bun:test'
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Layout, openPackage } from '../../../src/flashcards/anki/open-package'
import { KEY_LIMITS, readPackage } from '../../../src/flashcards/anki/read-package'
import type { ExportedFact } from '../../../src/flashcards/anki/write-package'
import type { FactContent } from '../../../src/flashcards/facts/fact-schema'
import type { ParsedCard, ParsedFact, ParsedFlashcards } from '../../../src/flashcards/formats/parsed'
import type { SourceFile } from '../../../src/imports/kind'
import { createSourceFile } from '../../../src/imports/read-file'
import type { PackageLimits } from '../../../src/lib/anki/collection'
import { FileFault } from '../../../src/lib/file-fault'
import { TEMPORARY } from '../../support/temporary'
import { packageOf, type Source } from './build'

/** Runs `work` with a file that holds these bytes; nothing may be left beside it. */
export async function withSource<T>(bytes: Uint8Array, work: (file: SourceFile) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(TEMPORARY, 'satchel-package-'))
  const path = join(folder, 'file')
  writeFileSync(path, bytes)
  const handle = openSync(path, 'r')
  try {
    return await work(createSourceFile(path, handle))
  } finally {
    closeSync(handle)
    rmSync(folder, { recursive: true })
  }
}

export function itemsOf(bytes: Uint8Array): Promise<ParsedFlashcards[]> {
  return withSource(bytes, (file) => Array.fromAsync(readPackage(file, KEY_LIMITS)))
}

export function factsIn(items: readonly ParsedFlashcards[]): ParsedFact[] {
  return items.filter((item) => item.kind === 'fact')
}

/** The codes of what there is to tell of the items. */
export function codesIn(items: readonly ParsedFlashcards[]): string[] {
  return items.flatMap((item) => {
    if (item.kind === 'fault') return [item.code]
    return item.kind === 'fact' ? (item.warnings ?? []).map(({ code }) => code) : []
  })
}

export const BASIC = {
  id: 10,
  fields: ['Front', 'Back'],
  templates: [['{{Front}}', '{{FrontSide}}<hr id=answer>{{Back}}']],
} as const
export const CLOZE = {
  id: 12,
  cloze: true,
  fields: ['Text', 'Back Extra'],
  templates: [['{{cloze:Text}}', '{{cloze:Text}}<br>\n{{Back Extra}}']],
} as const
export const DECK = { id: 100, name: 'Deck' }

/** One note of a notetype, with a card for each of its templates, and what is read of it. */
export function readNote(
  notetype: Source['notetypes'][number],
  fields: readonly string[],
  more: Partial<Source> = {},
): Promise<ParsedFlashcards[]> {
  const cards = notetype.templates.map((_, ord) => ({ id: 1000 + ord, nid: 1, did: DECK.id, ord }))
  return itemsOf(
    packageOf('legacy1', {
      decks: [DECK],
      notetypes: [notetype],
      notes: [{ id: 1, mid: notetype.id, fields }],
      cards,
      ...more,
    }),
  )
}

/** A note with one card and one picture. */
export const SMALL: Source = {
  decks: [DECK],
  notetypes: [BASIC, CLOZE],
  notes: [{ id: 1, mid: 10, fields: ['front', 'back'] }],
  cards: [{ id: 1, nid: 1, did: 100 }],
  media: { 'a.png': 'picture' },
}

/** What a package comes to: `ok`, or the code of its fault. */
export function outcome(bytes: Uint8Array, limits: PackageLimits = KEY_LIMITS): Promise<string> {
  return withSource(bytes, async (file) => {
    try {
      for await (const _ of readPackage(file, limits));
      return 'ok'
    } catch (error) {
      if (error instanceof FileFault) return error.code
      throw error
    } finally {
      expect(readdirSync(dirname(file.path))).toEqual(['file'])
    }
  })
}

export const NEW: ParsedCard = {
  ...{ ordinal: 0, state: 'new', due_day: null, due_at: null, stability: null, difficulty: null, ease: null },
  ...{ scheduled_days: 0, step: 0, reps: 0, lapses: 0, last_reviewed_at: null, suspended: false, buried_until: null },
  ...{ flag: 0, leech: false, position: 1 },
}
export const CREATED = Date.UTC(2026, 2, 1, 12)

export function exported(fact: FactContent, more: Partial<ExportedFact> = {}): ExportedFact {
  return {
    ...{ id: 'fact-1', fact, deck: ['Deck'], created_at: CREATED, updated_at: CREATED + 1000 },
    ...{ cards: [NEW], log: [], desired_retention: 0.9, decay: 0.1542 },
    ...{ steps: { learning: 2, relearning: 1 }, ...more },
  }
}

/** A package's layout, and its collection as SQLite has it. */
export function collectionIn(bytes: Uint8Array): Promise<{ layout: Layout; db: Database }> {
  return withSource(bytes, async (file) => {
    const path = `${file.path}.collection`
    const { layout } = await openPackage(file, KEY_LIMITS, path)
    return { layout, db: Database.deserialize(readFileSync(path)) }
  })
}
