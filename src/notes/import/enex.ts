import { Parser } from 'htmlparser2'
import type { SourceFile } from '../../imports/kind'
import { cutCodePoints } from '../../lib/text'
import { UnreadableItem } from '../../lib/unreadable-item'
import { type EnexTask, enmlToMarkdown } from './enml'
import {
  createFileFault,
  EMPTY_DRAFT,
  type ParsedDraft,
  type ParsedItem,
  toFailedItem,
  toInstant,
  toTags,
  toTitle,
  type Warning,
} from './parsed'

/**
 * Reads Evernote's export (ENEX): one XML file with all notes, streamed in one pass. Entities are those of XML, and in
 * a note's text those of HTML; a file that declares entities is rejected. Attachments are skipped.
 */

/** Characters that are kept of one note: eight times the limit of a body. */
const MAX_NOTE_CHARS = 8 * 1024 * 1024
/** Characters of one element of a note, except for its text. */
const MAX_FIELD_CHARS = 64 * 1024
/** The characters that a task adds to a note besides its title. */
const BOX_CHARS = '- [ ] \n'.length
/** Characters between two events of the parser, which it buffers: the text of a note is one CDATA section. */
const MAX_TOKEN_CHARS = 2 * MAX_NOTE_CHARS
const MAX_DEPTH = 32
const MAX_ATTRIBUTES = 64
const MAX_TAGS = 100
/** Bytes that are passed to the parser at a time. */
const CHUNK_BYTES = 64 * 1024

/** Yields the notes of a file, which it reads in chunks. Throws FileFault if it is not ENEX or declares entities. */
export function* parseEnex({ size, read }: Pick<SourceFile, 'size' | 'read'>): Generator<ParsedItem> {
  const reader = new EnexReader()
  const parser = new Parser(reader, { xmlMode: true })
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for (let at = 0; at < size; at += CHUNK_BYTES) {
    const text = decodePart(decoder, read(at, CHUNK_BYTES), at + CHUNK_BYTES < size)
    reader.charsSinceEvent += text.length
    parser.write(text)
    if (reader.charsSinceEvent > MAX_TOKEN_CHARS) throw createFileFault('The file has markup that is too long.')
    yield* reader.takeItems()
  }
  parser.end()
  yield* reader.takeItems()
  if (!reader.hasBegun) throw createFileFault('This is not an Evernote export.')
  if (reader.isCutOff) yield toFailedItem('', { code: 'cut_off', detail: 'The file ends too early.' })
}

function decodePart(decoder: TextDecoder, bytes: Uint8Array, stream: boolean): string {
  try {
    return decoder.decode(bytes, { stream })
  } catch {
    throw createFileFault('The file is not text in UTF-8.')
  }
}

/** The elements of a note whose text is kept. */
const NOTE_FIELDS = ['title', 'content', 'tag', 'created', 'updated']
/** The elements of a task whose text is kept. */
const TASK_FIELDS = ['title', 'taskStatus', 'taskGroupNoteLevelID', 'sortWeight', 'taskFlag'] as const
/** The elements of a task that are not kept, but reported. */
const TASK_DETAILS = ['dueDate', 'reminder', 'recurrence', 'assignee']

/** A note while it is being read. */
interface EnexNote {
  readonly fields: Map<string, string[]>
  readonly attributes: Map<string, string>
  readonly tasks: EnexTask[]
  resources: number
  /** Characters that are kept of the note. */
  length: number
  tooLong: boolean
}

class EnexReader {
  hasBegun = false
  isCutOff = false
  /** Characters passed to the parser since its last event. */
  charsSinceEvent = 0
  private readonly path: string[] = []
  private readonly done: ParsedItem[] = []
  private readonly ordinals = new Map<string, number>()
  private note: EnexNote | null = null
  private text: string[] = []
  private length = 0
  private count = 0

  takeItems(): ParsedItem[] {
    return this.done.splice(0)
  }

  oncomment(): void {
    this.charsSinceEvent = 0
  }

  onprocessinginstruction(name: string, data: string): void {
    this.charsSinceEvent = 0
    if (name.startsWith('!') && /\[|<!|!(entity|element|attlist|notation)/i.test(data.replace(/^!DOCTYPE/i, '')))
      throw createFileFault('The file declares entities or elements, which are not supported.')
  }

  onopentag(name: string): void {
    this.charsSinceEvent = 0
    if (this.path.length === 0 && name !== 'en-export') throw createFileFault('This is not an Evernote export.')
    if (this.path.length >= MAX_DEPTH) throw createFileFault('The file nests too deep.')
    this.hasBegun = true
    this.path.push(name)
    this.text = []
    this.length = 0
    if (this.path.length === 2 && name === 'note')
      this.note = { fields: new Map(), attributes: new Map(), tasks: [], resources: 0, length: 0, tooLong: false }
    else if (this.note && name === 'task' && this.tryAddChars(this.note, BOX_CHARS))
      this.note.tasks.push({
        title: '',
        taskStatus: '',
        taskGroupNoteLevelID: '',
        sortWeight: '',
        taskFlag: '',
        hasDetails: false,
      })
  }

  ontext(text: string): void {
    this.charsSinceEvent = 0
    const [parent, name = ''] = this.path.slice(-2)
    // Attachments make up most of a file, so their text is not collected.
    if (!this.note || !isKept(parent, name)) return
    this.length += text.length
    if (this.length > MAX_FIELD_CHARS && name !== 'content') this.note.tooLong = true
    else if (this.tryAddChars(this.note, text.length)) this.text.push(text)
  }

  /** Adds to the length of a note. Returns false if that exceeds the limit, and then marks the note as too long. */
  private tryAddChars(note: EnexNote, length: number): boolean {
    note.length += length
    note.tooLong ||= note.length > MAX_NOTE_CHARS
    return !note.tooLong
  }

  onclosetag(name: string, isImplied: boolean): void {
    this.charsSinceEvent = 0
    const { note, path } = this
    const parent = path.at(-2)
    path.pop()
    if (!note) this.isCutOff ||= isImplied
    else if (name === 'note' && path.length === 1) this.finishNote(note, isImplied)
    else if (name === 'resource') note.resources++
    else this.storeField(note, parent, name)
    this.text = []
    this.length = 0
  }

  private storeField(note: EnexNote, parent: string | undefined, name: string): void {
    const task = note.tasks.at(-1)
    if (parent === 'task' && task && TASK_DETAILS.includes(name)) task.hasDetails = true
    if (!isKept(parent, name)) return
    const text = this.text.join('')
    if (parent === 'note') note.fields.set(name, [...(note.fields.get(name) ?? []).slice(1 - MAX_TAGS), text])
    else if (parent === 'note-attributes' && text.trim() !== '' && note.attributes.size < MAX_ATTRIBUTES)
      note.attributes.set(name, text.trim())
    else if (task && isTaskField(name)) task[name] = text.trim()
  }

  private finishNote(note: EnexNote, isImplied: boolean): void {
    this.note = null
    const title = note.fields.get('title')?.at(-1) ?? ''
    const path = `#${++this.count} ${cutCodePoints(title, 200)}`.trim()
    if (isImplied) {
      this.done.push(toFailedItem(path, { code: 'cut_off', detail: 'The file ends in the middle of this note.' }))
      return
    }
    const source = this.createSource(title, note.fields.get('created')?.at(-1) ?? '')
    try {
      const warnings: Warning[] = []
      this.done.push({ path, id: null, source, draft: toDraft(note, title, warnings), warnings })
    } catch (error) {
      if (!(error instanceof UnreadableItem)) throw error
      this.done.push(toFailedItem(path, error, source))
    }
  }

  /**
   * Makes the source of a note. ENEX has no ids, so the id is a digest of title and time of creation, plus a number for
   * repeats.
   */
  private createSource(title: string, created: string): { system: string; id: string } {
    const digest = new Bun.CryptoHasher('sha256').update(JSON.stringify([title, created])).digest('hex')
    const ordinal = (this.ordinals.get(digest) ?? 0) + 1
    this.ordinals.set(digest, ordinal)
    return { system: 'enex', id: `${digest}-${ordinal}` }
  }
}

function isKept(parent: string | undefined, name: string): boolean {
  if (parent === 'note') return NOTE_FIELDS.includes(name)
  return parent === 'note-attributes' || (parent === 'task' && isTaskField(name))
}

function isTaskField(name: string): name is (typeof TASK_FIELDS)[number] {
  return (TASK_FIELDS as readonly string[]).includes(name)
}

function toDraft(
  { fields, attributes, tasks, resources, tooLong }: EnexNote,
  title: string,
  warnings: Warning[],
): ParsedDraft {
  if (tooLong) throw new UnreadableItem('too_long', 'The note is longer than a note can be.')
  if (resources > 0) warnings.push({ code: 'attachment_skipped', detail: `${resources} attachments are not stored.` })
  const content = fields.get('content')?.at(-1)
  if (content === undefined) warnings.push({ code: 'no_text', detail: 'The file has no text of this note.' })
  return {
    ...EMPTY_DRAFT,
    title: toTitle(title, warnings),
    body: enmlToMarkdown(content ?? '', tasks, warnings),
    tags: toTags(fields.get('tag') ?? [], warnings),
    properties: Object.fromEntries(attributes),
    created_at: readEnexInstant(fields.get('created')?.at(-1)),
    updated_at: readEnexInstant(fields.get('updated')?.at(-1)),
  }
}

/** Reads an instant such as `20260102T030405Z`. */
function readEnexInstant(text = ''): number | null {
  return toInstant(text.trim().replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
}
