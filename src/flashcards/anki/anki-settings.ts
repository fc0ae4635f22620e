import type { JsonMembers } from '../../lib/anki/collection'
import { toDay } from '../../lib/civil/day'
import { listAskedOrdinals } from '../facts/note'
import { measureNoteType, type NoteTypeContent } from '../facts/note-type'
import type { DeckSettings } from '../scheduling/settings'
import { DAY_MS, type StudyClock, startOfStudyDay } from '../scheduling/study-day'
import { SATCHEL_FIELD, SATCHEL_NOTETYPES, type SatchelNotetype } from './content'

/** The options of decks in Anki, as a collection of schema 11 has them. */

/** What only a package has that replaces a whole collection. */
export interface WholeCollection {
  readonly defaults: DeckSettings
  readonly learn_ahead_minutes: number
}

const DEFAULT_ID = 1
const FIRST_ID = 1_577_851_200_000
// The numbers of Anki's deck_config.proto.

/** When new cards come, beside reviews. */
const NEW_MIX = { mix: 0, after: 1, before: 2 }
/** What is due; by retrievability, what is forgotten most comes first. */
const REVIEW_ORDER = { due: 0, retrievability: 7, random: 8 }
const LEECH_ACTION = { suspend: 0, none: 1 }
const LOWEST_POSITION = 1
const RANDOM_CARDS = 4
const NO_SORT = 1

/** Collects the different settings of decks. A package that is added to a collection only has Anki's default options. */
export class DeckOptions {
  private readonly all = new Map<string, { readonly id: number; readonly settings: DeckSettings | null }>()

  constructor(private readonly whole: WholeCollection | null) {
    const settings = whole?.defaults ?? null
    this.all.set(JSON.stringify(settings), { id: DEFAULT_ID, settings })
  }

  idOf(settings: DeckSettings): number {
    if (!this.whole) return DEFAULT_ID
    const key = JSON.stringify(settings)
    const known = this.all.get(key)
    if (known) return known.id
    const id = FIRST_ID + this.all.size
    this.all.set(key, { id, settings })
    return id
  }

  /** Returns `col.dconf`. */
  json(): string {
    return JSON.stringify(Object.fromEntries([...this.all.values()].map((one) => [one.id, toOptions(one)])))
  }
}

function toOptions({ id, settings }: { readonly id: number; readonly settings: DeckSettings | null }): object {
  return {
    ...{ id, name: id === DEFAULT_ID ? 'Default' : `Options ${id - FIRST_ID + 1}`, mod: 0, usn: settings ? -1 : 0 },
    ...{ maxTaken: 60, autoplay: true, timer: 0, replayq: true, dyn: false },
    new: {
      ...{ ints: [1, 4, 0], initialFactor: 2500 },
      delays: settings?.learning_steps_minutes ?? [1, 10],
      order: settings?.new_order === 'random' ? 0 : 1,
      perDay: settings?.new_limit_per_day ?? 20,
      bury: settings?.bury_siblings ?? true,
    },
    rev: {
      ...{ ease4: 1.3, ivlFct: 1, hardFactor: 1.2 },
      perDay: settings?.review_limit_per_day ?? 200,
      maxIvl: settings?.maximum_interval_days ?? 36_500,
      bury: settings?.bury_siblings ?? true,
    },
    lapse: {
      ...{ mult: 0, minInt: 1 },
      delays: settings?.relearning_steps_minutes ?? [10],
      leechFails: settings?.leech_threshold ?? 8,
      leechAction: LEECH_ACTION[settings?.leech_action ?? 'none'],
    },
    ...(settings ? toNewerOptions(settings) : {}),
  }
}

/** Members that versions since 2021 read. */
function toNewerOptions({ new_mix, new_order, review_order, desired_retention, weights, ...settings }: DeckSettings) {
  return {
    newMix: NEW_MIX[new_mix],
    reviewOrder: REVIEW_ORDER[review_order],
    newGatherPriority: new_order === 'random' ? RANDOM_CARDS : LOWEST_POSITION,
    newSortOrder: NO_SORT,
    buryInterdayLearning: settings.bury_siblings,
    desiredRetention: desired_retention,
    fsrsParams6: weights ?? [],
  }
}

/** The notetypes, decks and settings of a collection of schema 11. Anki requires every member. */

/** The study day on which the collection was created, from which it counts the days. */
export const CREATED_DAY = '2020-01-01'

const CSS = '.card { font-family: arial; font-size: 20px; text-align: center; color: black; background-color: white; }'
const CLOZE_CSS = `${CSS}\n.cloze { font-weight: bold; color: blue; }\n.nightMode .cloze { color: lightblue; }`
const HINT = '{{#Hint}}<br>{{hint:Hint}}{{/Hint}}'
const EXTRA = '{{#Extra}}<br><br>{{Extra}}{{/Extra}}'
const RULE = '{{FrontSide}}<hr id=answer>'
const TEMPLATES: Readonly<Record<SatchelNotetype['type'], readonly [question: string, answer: string][]>> = {
  basic: [[`{{Front}}${HINT}`, `${RULE}{{Back}}${EXTRA}`]],
  reversed: [
    [`{{Front}}${HINT}`, `${RULE}{{Back}}${EXTRA}`],
    [`{{Back}}${HINT}`, `${RULE}{{Front}}${EXTRA}`],
  ],
  typed: [[`{{Front}}${HINT}<br>{{type:Back}}`, `{{Front}}<hr id=answer>{{type:Back}}${EXTRA}`]],
  cloze: [[`{{cloze:Text}}${HINT}`, `{{cloze:Text}}${EXTRA}`]],
}

const OWN_NOTE_TYPES: readonly NoteTypeContent[] = SATCHEL_NOTETYPES.map(({ id, type, name, fields }) => ({
  ...{ anki_id: id, name, kind: type === 'cloze' ? ('cloze' as const) : ('standard' as const), fields },
  templates: TEMPLATES[type].map(([question, answer], ord) => ({ name: `Card ${ord + 1}`, question, answer })),
  css: type === 'cloze' ? CLOZE_CSS : CSS,
  settings: null,
}))

export function ownNoteType(type: SatchelNotetype['type']): NoteTypeContent {
  const index = SATCHEL_NOTETYPES.findIndex((notetype) => notetype.type === type)
  const noteType = OWN_NOTE_TYPES[index]
  if (!noteType) throw new Error(`there is no note type for ${type}`)
  return noteType
}

/** The note types of a package: our own, and those that imported facts have. */
export class PackageNoteTypes {
  private readonly all = new Map<number, NoteTypeContent>(
    OWN_NOTE_TYPES.map((noteType) => [noteType.anki_id, noteType]),
  )
  private readonly ids = new Map<NoteTypeContent, number>()

  /** Returns the id of a note type in the package: its own, or the next free one if other content has that. */
  idOf(noteType: NoteTypeContent): number {
    const known = this.ids.get(noteType)
    if (known !== undefined) return known
    let id = noteType.anki_id
    while (this.all.has(id)) id += 1
    this.ids.set(noteType, id)
    this.all.set(id, noteType)
    return id
  }

  /** Returns `col.models`. */
  json(): string {
    return JSON.stringify(Object.fromEntries([...this.all].map(([id, noteType]) => [id, model(id, noteType)])))
  }
}

/** Anki's number of the note type that it makes for image occlusion. */
const IMAGE_OCCLUSION_KIND = 6
/** When a note type or a deck was changed, in seconds since 1970: long ago, so that Anki keeps its own. */
const MODIFIED = 1_577_851_200

const LATEX = { latexPre: '\\documentclass[12pt]{article}\n\\begin{document}\n', latexPost: '\\end{document}' }
const MODEL = { sortf: 0, did: 1, ...LATEX, latexsvg: false, tags: [], vers: [] }
const TEMPLATE = { did: null, bqfmt: '', bafmt: '' }
const FIELD = { sticky: false, rtl: false, font: 'Arial', size: 20, media: [] }
/** Members that Anki may lack, each with an example of its type. */
const OPTIONAL = {
  ...{ originalStockKind: 0, originalId: 0, bfont: '', bsize: 0, description: '', tag: 0 },
  ...{ plainText: false, collapsed: false, excludeFromSearch: false, preventDeletion: false },
}

/** Replaces defaults by what is known, but for members of another type: Anki would refuse the whole package. */
function withSettings<Defaults extends object>(defaults: Defaults, known: JsonMembers | undefined): Defaults {
  const types: JsonMembers = { ...OPTIONAL, ...defaults }
  const isFitting = ([name, value]: [string, unknown]) =>
    types[name] == null ? name !== 'did' || Number.isSafeInteger(value) : typeOf(value) === typeOf(types[name])
  return { ...defaults, ...Object.fromEntries(Object.entries(known ?? {}).filter(isFitting)) }
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'list'
  return typeof value === 'number' && !Number.isSafeInteger(value) ? 'fraction' : typeof value
}

function model(id: number, noteType: NoteTypeContent): object {
  const { name, kind, fields, templates, css, settings } = noteType
  const known = withSettings(MODEL, settings?.notetype)
  return {
    ...known,
    ...(kind === 'image_occlusion' ? { originalStockKind: IMAGE_OCCLUSION_KIND } : {}),
    sortf: known.sortf >= 0 && known.sortf < fields.length ? known.sortf : 0,
    id,
    name,
    type: kind === 'standard' ? 0 : 1,
    mod: MODIFIED,
    usn: -1,
    css,
    req: kind === 'standard' ? listRequirements(noteType) : [],
    tmpls: templates.map(({ name, question, answer }, ord) => ({
      ...withSettings(TEMPLATE, settings?.templates[ord]),
      ...{ name, ord, qfmt: question, afmt: answer },
    })),
    flds: fields.map((field, ord) => ({
      ...withSettings(FIELD, settings?.fields[ord]),
      ...{ name: field, ord },
      ...(field === SATCHEL_FIELD ? { collapsed: true, excludeFromSearch: true } : {}),
    })),
  }
}

/** The most bytes of templates that are read for all requirements of a note type together. */
const MAX_REQUIREMENT_BYTES = 8 * 1024 * 1024

/**
 * Returns which fields each template needs, by which older versions of Anki make cards: all of a list, or any of it.
 * They are not computed for a note type with many fields and large templates: then any field will do.
 */
function listRequirements(noteType: NoteTypeContent): [ordinal: number, 'all' | 'any' | 'none', fields: number[]][] {
  const { fields, templates } = noteType
  const indices = [...fields.keys()]
  if (measureNoteType(noteType) * fields.length * 2 > MAX_REQUIREMENT_BYTES)
    return templates.map((_, ord) => [ord, 'any', indices])
  const askedOf = (filled: readonly number[]) =>
    new Set(listAskedOrdinals(noteType, Object.fromEntries(filled.map((i) => [fields[i] ?? '', 'x']))))
  const whole = askedOf(indices)
  const without = indices.map((i) => askedOf(indices.filter((other) => other !== i)))
  const alone = indices.map((i) => askedOf([i]))
  return templates.map((_, ord) => {
    if (!whole.has(ord)) return [ord, 'none', []]
    const needed = indices.filter((i) => !without[i]?.has(ord))
    return needed.length > 0 ? [ord, 'all', needed] : [ord, 'any', indices.filter((i) => alone[i]?.has(ord))]
  })
}

export interface AnkiDeckEntry {
  readonly id: number
  /** With those of the decks above it, separated by `::`. */
  readonly name: string
  readonly description: string
  readonly options: number
}

const DEFAULT_DECK: AnkiDeckEntry = { id: 1, name: 'Default', description: '', options: 1 }

/** Returns `col.decks`: the default deck, which every collection has, and the given ones. */
export function decksJson(decks: Iterable<AnkiDeckEntry>): string {
  return JSON.stringify(Object.fromEntries([DEFAULT_DECK, ...decks].map((one) => [one.id, deck(one)])))
}

function deck({ id, name, description, options }: AnkiDeckEntry): object {
  return {
    id,
    name,
    desc: description,
    mod: MODIFIED,
    usn: -1,
    collapsed: false,
    browserCollapsed: false,
    newToday: [0, 0],
    revToday: [0, 0],
    lrnToday: [0, 0],
    timeToday: [0, 0],
    dyn: 0,
    extendNew: 0,
    extendRev: 0,
    conf: options,
  }
}

interface CollectionSettings {
  readonly clock: StudyClock
  /** Study days since CREATED_DAY. */
  readonly days: number
  readonly nextPosition: number
  /** Null in a package that is added to a collection, whose settings nobody reads. */
  readonly whole: WholeCollection | null
}

export function confJson({ clock, days, nextPosition, whole }: CollectionSettings): string {
  const created = toDay(CREATED_DAY)
  const local = created * DAY_MS + clock.day_starts_at_hour * 3_600_000
  return JSON.stringify({
    ...CONF,
    // Minutes by which local time is behind UTC.
    creationOffset: Math.round((startOfStudyDay(created, clock) - local) / 60_000),
    rollover: clock.day_starts_at_hour,
    nextPos: nextPosition,
    // Else Anki would bring back all buried cards when it opens the collection.
    ...(whole ? { ...wholeSettings(whole), lastUnburied: days } : {}),
  })
}

function wholeSettings({ learn_ahead_minutes, defaults }: WholeCollection): object {
  return {
    // Memory is that of FSRS, which needs the third version of the scheduler. Older versions of Anki use the second one.
    sched2021: true,
    fsrs: true,
    collapseTime: learn_ahead_minutes * 60,
    newSpread: NEW_MIX[defaults.new_mix],
    newCardsIgnoreReviewLimit: defaults.new_ignores_review_limit,
  }
}

const CONF = {
  schedVer: 2,
  curDeck: 1,
  activeDecks: [1],
  curModel: SATCHEL_NOTETYPES[0]?.id,
  newSpread: 0,
  collapseTime: 1200,
  timeLim: 0,
  estTimes: true,
  dueCounts: true,
  sortType: 'noteFld',
  sortBackwards: false,
  addToCur: true,
}
