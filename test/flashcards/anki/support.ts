import { join } from 'node:path'
import { PackageFault } from '../../../src/flashcards/anki/fault'
import { readPackage } from '../../../src/flashcards/anki/import'
import { type PackageLimits, WITH_KEY } from '../../../src/flashcards/anki/limits'
import type { ExportedFact } from '../../../src/flashcards/anki/write-package'
import type { FactContent } from '../../../src/flashcards/schema'
import type { ParsedCard, ParsedFact, ParsedItem } from '../../../src/flashcards/transfer/parsed'
import { packageOf, type Source } from './build'

export function itemsOf(bytes: Uint8Array): ParsedItem[] {
  return [...readPackage(bytes, WITH_KEY)]
}

export function factsIn(items: readonly ParsedItem[]): ParsedFact[] {
  return items.filter((item) => item.kind === 'fact')
}

/** The codes of the lines of a report. */
export function codesIn(items: readonly ParsedItem[]): string[] {
  return items.flatMap((item) => (item.kind === 'line' ? [item.code] : []))
}

export async function fixture(name: string): Promise<Uint8Array> {
  return new Uint8Array(await Bun.file(join(import.meta.dir, '../../fixtures/anki', name)).arrayBuffer())
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
): ParsedItem[] {
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
export function outcome(bytes: Uint8Array, limits: PackageLimits = WITH_KEY): string {
  try {
    for (const _ of readPackage(bytes, limits));
    return 'ok'
  } catch (error) {
    if (error instanceof PackageFault) return error.code
    throw error
  }
}

export const NEW: ParsedCard = {
  ...{ ordinal: 0, state: 'new', due_day: null, due_at: null, stability: null, difficulty: null, ease: null },
  ...{ scheduled_days: 0, step: 0, reps: 0, lapses: 0, last_reviewed_at: null, suspended: false, buried_until: null },
  ...{ flag: 0, leech: false, position: 1 },
}
export const CREATED = Date.UTC(2026, 2, 1, 12)

export function exported(fact: FactContent, more: Partial<ExportedFact> = {}): ExportedFact {
  return {
    ...{ id: 'fact-1', fact, deck: ['Deck'], external_id: null, created_at: CREATED, updated_at: CREATED + 1000 },
    ...{ cards: [NEW], log: [], desired_retention: 0.9, decay: 0.1542, ...more },
  }
}
