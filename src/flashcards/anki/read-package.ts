import { rmSync } from 'node:fs'
import type { Workspace } from '../../db/database'
import { ApiError } from '../../http/api-error'
import type { SourceFile } from '../../imports/kind'
import { type CardIndex, indexCards } from '../../lib/anki/card-index.sqlite'
import type { PackageLimits } from '../../lib/anki/collection'
import { type Collection, openCollection } from '../../lib/anki/collection.sqlite'
import { UnreadableItem } from '../../lib/file-fault'
import {
  type ParsedDeck,
  type ParsedFault,
  type ParsedFlashcards,
  type ParsedIgnored,
  type ParsedMedia,
  writePlace,
} from '../formats/parsed'
import { readMediaName } from '../media/media-file'
import { readNote } from './facts'
import { openPackage, type PackedMedia } from './open-package'
import { toAnkiDays } from './schedule'

/** Decks above one that are described: any number would take hours. */
const MAX_LEVELS = 20

/**
 * Reads an .apkg or .colpkg lazily: what is left out, decks, media, then facts, each note type before its first fact.
 * Unpacks its collection next to the file, and removes it at the end.
 * @throws FileFault at any item
 */
export async function* readPackage(file: SourceFile, limits: PackageLimits): AsyncGenerator<ParsedFlashcards> {
  const [unpacked, index] = [`${file.path}.collection`, `${file.path}.index`]
  const open: { close(): void }[] = []
  try {
    const { media } = await openPackage(file, limits, unpacked)
    const collection = openCollection(unpacked, limits)
    open.push(collection)
    const cards = indexCards(collection, index)
    open.push(cards)
    yield { kind: 'ignored', components: listOrphans(cards) }
    yield* readDecks(collection, cards)
    yield* readMedia(media)
    yield* readFacts(collection, cards)
  } finally {
    for (const one of open) one.close()
    for (const path of [unpacked, `${unpacked}.packed`, index]) rmSync(path, { force: true })
  }
}

function listOrphans(index: CardIndex): ParsedIgnored['components'] {
  const { cards, reviews } = index.countOrphans()
  return [
    { component: 'cards without a note', count: cards },
    { component: 'answers to deleted cards', count: reviews },
  ].filter(({ count }) => count > 0)
}

/** Yields decks that have cards, and those above them, parents first. Anki's default deck often has none. */
function* readDecks({ decks }: Collection, cards: CardIndex): Generator<ParsedDeck | ParsedFault> {
  const shown = new Set<string>()
  for (const id of cards.listDecks()) {
    const { path = [] } = decks.get(id) ?? {}
    for (let level = 1; level < Math.min(path.length, MAX_LEVELS); level++) shown.add(writePath(path.slice(0, level)))
    if (path.length > 0) shown.add(writePath(path))
    const detail = 'The package does not hold the deck.'
    if (path.length === 0) yield { kind: 'fault', type: 'deck', where: `deck ${id}`, code: 'no_deck', detail }
  }
  for (const { path, description } of [...decks.values()].sort((a, b) => a.path.length - b.path.length))
    if (shown.has(writePath(path))) yield { kind: 'deck', path, description }
}

const writePath = (path: readonly string[]) => path.join('\x1f')

function* readMedia(media: readonly PackedMedia[]): Generator<ParsedMedia | ParsedFault> {
  const seen = new Set<string>()
  for (const file of media) {
    try {
      const name = readMediaName(file.name)
      if (seen.has(name)) throw new UnreadableItem('duplicate_name', 'A media file of this name came before.')
      seen.add(name)
      yield { kind: 'media', name, bytes: file.read() }
    } catch (error) {
      if (!(error instanceof UnreadableItem) && !(error instanceof ApiError)) throw error
      const code = error instanceof ApiError ? 'media_name' : error.code
      yield { kind: 'fault', type: 'media', where: writePlace('media', file.name), code, detail: error.detail }
    }
  }
}

function* readFacts({ notetypes, decks, calendar, notes }: Collection, cards: CardIndex): Generator<ParsedFlashcards> {
  const around = {
    notetypes,
    decks,
    days: toAnkiDays(calendar),
    isFirstScheduler: calendar.isFirstScheduler,
    modified: Math.trunc(calendar.modified * 1000),
    log: cards.listReviews,
  }
  const seen = new Set<string>()
  const guids = new Set<string>()
  for (const note of notes()) {
    // A collection may hold two notes with one guid. The second is a note nonetheless.
    const named = guids.has(note.guid) ? { ...note, guid: '' } : note
    guids.add(note.guid)
    const { noteType, fact } = readNote(named, cards.listCards(note.id), around)
    if (noteType && !seen.has(noteType.hash)) yield noteType
    if (noteType) seen.add(noteType.hash)
    yield fact
  }
}

const MIB = 1024 * 1024

export const KEY_LIMITS: PackageLimits = {
  unpacked: 512 * MIB,
  collection: 256 * MIB,
  entries: 65_535,
  mediaFile: 8 * MIB,
  cards: 400_000,
  reviews: 2_000_000,
}

export const SCRATCH_LIMITS: PackageLimits = {
  unpacked: 16 * MIB,
  collection: 8 * MIB,
  entries: 500,
  mediaFile: 256 * 1024,
  cards: 60_000,
  reviews: 100_000,
}

export const PACKAGE_LIMITS: Readonly<Record<Workspace['kind'], PackageLimits>> = {
  key: KEY_LIMITS,
  scratch: SCRATCH_LIMITS,
}
