import type { NoteTypeContent } from '../note-type'
import { SATCHEL_FIELD, SATCHEL_NOTETYPES, type SatchelNotetype } from './content'

/** The notetypes, decks and options of a collection of schema 11. Anki requires every member. */

/** When the collection was created: 2020-01-01 at four o'clock UTC, the hour at which its days begin. */
export const CREATED_SECONDS = 1_577_851_200
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
}))

/** Returns our own note type for a type of fact, as exports have it. */
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

function model(id: number, { name, kind, fields, templates, css }: NoteTypeContent): object {
  return {
    id,
    name,
    type: kind === 'standard' ? 0 : 1,
    ...(kind === 'image_occlusion' ? { originalStockKind: IMAGE_OCCLUSION_KIND } : {}),
    mod: CREATED_SECONDS,
    usn: -1,
    sortf: 0,
    did: 1,
    css,
    latexPre: '\\documentclass[12pt]{article}\n\\begin{document}\n',
    latexPost: '\\end{document}',
    latexsvg: false,
    req: templates.map((_, ord) => [ord, 'any', [ord]]),
    tags: [],
    vers: [],
    tmpls: templates.map(({ name, question, answer }, ord) => ({
      name,
      ord,
      qfmt: question,
      afmt: answer,
      did: null,
      bqfmt: '',
      bafmt: '',
    })),
    flds: fields.map((field, ord) => ({
      name: field,
      ord,
      sticky: false,
      rtl: false,
      font: 'Arial',
      size: 20,
      media: [],
      ...(field === SATCHEL_FIELD ? { collapsed: true, excludeFromSearch: true } : {}),
    })),
  }
}

/** Returns `col.decks`: the default deck, which every collection has, and the given ones. */
export function decksJson(decks: Iterable<readonly [id: number, name: string, description: string]>): string {
  const all = [[1, 'Default', ''] as const, ...decks]
  return JSON.stringify(Object.fromEntries(all.map(([id, name, description]) => [id, deck(id, name, description)])))
}

function deck(id: number, name: string, desc: string): object {
  return {
    id,
    name,
    desc,
    mod: CREATED_SECONDS,
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
    conf: 1,
  }
}

/** The value of `col.conf`. */
export const CONF = JSON.stringify({
  schedVer: 2,
  creationOffset: 0,
  rollover: 4,
  curDeck: 1,
  activeDecks: [1],
  curModel: SATCHEL_NOTETYPES[0]?.id,
  nextPos: 1,
  newSpread: 0,
  collapseTime: 1200,
  timeLim: 0,
  estTimes: true,
  dueCounts: true,
  sortType: 'noteFld',
  sortBackwards: false,
  addToCur: true,
})

/** The value of `col.dconf`. */
export const DCONF = JSON.stringify({
  1: {
    id: 1,
    name: 'Default',
    mod: 0,
    usn: 0,
    maxTaken: 60,
    autoplay: true,
    timer: 0,
    replayq: true,
    dyn: false,
    new: { delays: [1, 10], ints: [1, 4, 0], initialFactor: 2500, order: 1, perDay: 20, bury: true },
    rev: { perDay: 200, ease4: 1.3, ivlFct: 1, maxIvl: 36_500, bury: true, hardFactor: 1.2 },
    lapse: { delays: [10], mult: 0, minInt: 1, leechFails: 8, leechAction: 1 },
  },
})
