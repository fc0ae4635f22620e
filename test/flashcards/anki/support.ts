import { join } from 'node:path'
import { readPackage } from '../../../src/flashcards/anki/import'
import { WITH_KEY } from '../../../src/flashcards/anki/limits'
import type { ParsedFact, ParsedItem } from '../../../src/flashcards/transfer/parsed'
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
