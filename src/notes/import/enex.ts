import { Parser } from 'htmlparser2'
import type { ReadItem, SourceFile } from '../../imports/kind'
import { UnreadableItem } from '../../lib/file-fault'
import { cutCodePoints } from '../../lib/text'
import { type EnexFile, EnexNames, EnexResource, type EnexTask, enmlToMarkdown } from './enml'
import {
  type AttachedFile,
  createFileFault,
  EMPTY_DRAFT,
  type ParsedDraft,
  type ParsedItem,
  readEnexInstant,
  toFailedItem,
  toTags,
  toTitle,
  type Warning,
} from './parsed'

/**
 * Reads Evernote's export (ENEX): one XML file with all notes, streamed. Entities are those of XML, and in a note's text
 * those of HTML; a file that declares entities is rejected. Attached files are read in a second pass: they come after
 * all notes, with one of them in memory.
 */

/** Characters that are kept of one note: eight times the limit of a body. */
const MAX_NOTE_CHARS = 8 * 1024 * 1024
/** Characters of one element of a note, except for its text. */
const MAX_FIELD_CHARS = 64 * 1024
/** The characters that a task adds to a note besides its title. */
const BOX_CHARS = '- [ ]  (due 2026-01-31 23:59 UTC)\n'.length
/** Characters between two events of the parser, which it buffers: the text of a note is one CDATA section. */
const MAX_TOKEN_CHARS = 2 * MAX_NOTE_CHARS
const MAX_DEPTH = 32
const MAX_ATTRIBUTES = 64
const MAX_TAGS = 100
/** Files of one note: as many targets of a note are looked up. */
const MAX_FILES = 2000
/** Bytes that are passed to the parser at a time. */
const CHUNK_BYTES = 64 * 1024

/** Yields the notes of a file, which it reads in chunks. Throws FileFault if it is not ENEX or declares entities. */
export function* parseEnex(file: Pick<SourceFile, 'size' | 'read'>): Generator<ParsedItem> {
  const reader = new EnexReader(null)
  for (const _ of readThrough(file, reader)) yield* reader.notes.splice(0)
  if (reader.isCutOff) yield toFailedItem('', { code: 'cut_off', detail: 'The file ends too early.' })
}

/**
 * Yields the files of the notes of a file, with their bytes, each name and content once. Throws as parseEnex does.
 * @param folder the folder of the notes
 */
export function* readEnexFiles(
  file: Pick<SourceFile, 'size' | 'read'>,
  folder: string | null,
): Generator<ReadItem<AttachedFile>> {
  const reader = new EnexReader({ folder })
  for (const _ of readThrough(file, reader)) yield* reader.files.splice(0)
}

/** Reads a file, and yields after each piece: in memory are what a piece ends, and one file that it begins. */
function* readThrough({ size, read }: Pick<SourceFile, 'size' | 'read'>, reader: EnexReader): Generator<void> {
  const parser = new Parser(reader, { xmlMode: true })
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for (let at = 0; at < size; at += CHUNK_BYTES) {
    const text = decodePart(decoder, read(at, CHUNK_BYTES), at + CHUNK_BYTES < size)
    reader.charsSinceEvent += text.length
    parser.write(text)
    if (reader.charsSinceEvent > MAX_TOKEN_CHARS) throw createFileFault('The file has markup that is too long.')
    yield
  }
  parser.end()
  yield
  if (!reader.hasBegun) throw createFileFault('This is not an Evernote export.')
}

function decodePart(decoder: TextDecoder, bytes: Uint8Array, stream: boolean): string {
  try {
    return decoder.decode(bytes, { stream })
  } catch {
    throw createFileFault('The file is not text in UTF-8.')
  }
}

const NOTE_FIELDS = ['title', 'content', 'tag', 'created', 'updated']
const TASK_FIELDS = [
  ...(['title', 'taskStatus', 'taskGroupNoteLevelID', 'sortWeight', 'taskFlag'] as const),
  ...(['dueDate', 'dueDateUIOption', 'timeZone'] as const),
] as const
const NO_TASK: Readonly<EnexTask> = {
  ...{ title: '', taskStatus: '', taskGroupNoteLevelID: '', sortWeight: '', taskFlag: '' },
  ...{ dueDate: '', dueDateUIOption: '', timeZone: '', hasDetails: false },
}
/** The elements of a task that are not kept, but reported. */
const TASK_DETAILS = ['reminder', 'recurrence', 'assignee']

interface EnexNote {
  readonly fields: Map<string, string[]>
  readonly attributes: Map<string, string>
  readonly tasks: EnexTask[]
  /** By the MD5 of their data. */
  readonly files: Map<string, EnexFile>
  /** Characters that are kept of the note. */
  length: number
  tooLong: boolean
}

class EnexReader {
  hasBegun = false
  isCutOff = false
  /** Characters passed to the parser since its last event. */
  charsSinceEvent = 0
  readonly notes: ParsedItem[] = []
  readonly files: ReadItem<AttachedFile>[] = []
  private readonly path: string[] = []
  private readonly names = new EnexNames()
  private readonly ordinals = new Map<string, number>()
  private note: EnexNote | null = null
  private resource: EnexResource | null = null
  private text: string[] = []
  private length = 0
  private count = 0

  /** @param filesIn the folder of the files; null: only notes are read */
  constructor(private readonly filesIn: { readonly folder: string | null } | null) {}

  oncomment(): void {
    this.charsSinceEvent = 0
  }

  onprocessinginstruction(name: string, data: string): void {
    this.charsSinceEvent = 0
    if (name.startsWith('!') && /\[|<!|!(entity|element|attlist|notation)/i.test(data.replace(/^!DOCTYPE/i, '')))
      throw createFileFault('The file declares entities or elements, which are not supported.')
  }

  onopentag(name: string, { encoding }: Record<string, string>): void {
    this.charsSinceEvent = 0
    if (this.path.length === 0 && name !== 'en-export') throw createFileFault('This is not an Evernote export.')
    if (this.path.length >= MAX_DEPTH) throw createFileFault('The file nests too deep.')
    this.hasBegun = true
    this.path.push(name)
    this.text = []
    this.length = 0
    if (this.path.length === 2 && name === 'note')
      this.note = { fields: new Map(), attributes: new Map(), tasks: [], files: new Map(), length: 0, tooLong: false }
    else if (this.note && this.path.length === 3 && name === 'resource')
      this.resource = new EnexResource(this.filesIn !== null)
    else if (this.path.length === 4 && name === 'data') this.resource?.beginData(encoding)
    else if (this.note && name === 'task' && this.tryAddChars(this.note, BOX_CHARS))
      this.note.tasks.push({ ...NO_TASK })
  }

  ontext(text: string): void {
    this.charsSinceEvent = 0
    const [parent, name = ''] = this.path.slice(-2)
    // Attachments make up most of a file, so their text is decoded as it comes.
    if (parent === 'resource' && name === 'data') this.resource?.addData(text)
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
    else if (name === 'resource' && path.length === 2) this.finishResource(note, isImplied)
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
    else if (parent === 'task' && task && isTaskField(name)) task[name] = text.trim()
    else if (this.resource && name === 'mime') this.resource.mime = text.trim()
    else if (this.resource) this.resource.fileName = text
  }

  private finishResource(note: EnexNote, isImplied: boolean): void {
    const read = isImplied ? null : this.resource?.finish()
    this.resource = null
    if (!read || (read.hash !== null && note.files.has(read.hash))) return
    const { hash, name, sha256, isShown, warnings, bytes, fault } = read
    const { clashes, isRepeated } =
      hash === null ? { clashes: false, isRepeated: false } : this.names.claim(name, sha256)
    if (hash !== null) {
      note.tooLong ||= note.files.size === MAX_FILES || !this.tryAddChars(note, name.length)
      if (!note.tooLong) note.files.set(hash, { name, sha256, clashes, isShown })
    }
    if (!this.filesIn || isRepeated) return
    const { folder } = this.filesIn
    const at = { where: `${toPath(this.count + 1, getTitle(note))} / ${name}`, type: 'attachment' }
    if (fault) this.files.push({ ...at, fault: { code: fault.code, detail: fault.detail } })
    else this.files.push({ ...at, value: { attached: { name, folder }, ofNote: { clashes }, warnings }, bytes })
  }

  private finishNote(note: EnexNote, isImplied: boolean): void {
    this.note = null
    const title = getTitle(note)
    const path = toPath(++this.count, title)
    if (this.filesIn) return
    if (isImplied) {
      this.notes.push(toFailedItem(path, { code: 'cut_off', detail: 'The file ends in the middle of this note.' }))
      return
    }
    const source = this.createSource(title, note.fields.get('created')?.at(-1) || note.fields.get('content')?.at(-1))
    try {
      const warnings: Warning[] = []
      const files = [...note.files.values()].map(({ isShown: _, ...file }) => file)
      this.notes.push({ path, id: null, source, files, draft: toDraft(note, title, warnings), warnings })
    } catch (error) {
      if (!(error instanceof UnreadableItem)) throw error
      this.notes.push(toFailedItem(path, error, source))
    }
  }

  /**
   * Makes the source of a note. ENEX has no ids, so the id is a digest of title and time of creation, plus a number for
   * repeats; without that time it is of title and text, since notes of two files may have one title.
   */
  private createSource(title: string, created = ''): { system: string; id: string } {
    const digest = new Bun.CryptoHasher('sha256').update(JSON.stringify([title, created])).digest('hex')
    const ordinal = (this.ordinals.get(digest) ?? 0) + 1
    this.ordinals.set(digest, ordinal)
    return { system: 'enex', id: `${digest}-${ordinal}` }
  }
}

function getTitle({ fields }: EnexNote): string {
  return fields.get('title')?.at(-1) ?? ''
}

function toPath(ordinal: number, title: string): string {
  return `#${ordinal} ${cutCodePoints(title, 200)}`.trim()
}

function isKept(parent: string | undefined, name: string): boolean {
  if (parent === 'note') return NOTE_FIELDS.includes(name)
  if (parent === 'resource' && name === 'mime') return true
  if (parent === 'resource-attributes' && name === 'file-name') return true
  return parent === 'note-attributes' || (parent === 'task' && isTaskField(name))
}

function isTaskField(name: string): name is (typeof TASK_FIELDS)[number] {
  return (TASK_FIELDS as readonly string[]).includes(name)
}

function toDraft(
  { fields, attributes, tasks, files, tooLong }: EnexNote,
  title: string,
  warnings: Warning[],
): ParsedDraft {
  if (tooLong) throw new UnreadableItem('too_long', 'The note is longer than a note can be.')
  const content = fields.get('content')?.at(-1)
  if (content === undefined) warnings.push({ code: 'no_text', detail: 'The file has no text of this note.' })
  return {
    ...EMPTY_DRAFT,
    title: toTitle(title, warnings),
    body: enmlToMarkdown(content ?? '', { tasks, files }, warnings),
    tags: toTags(fields.get('tag') ?? [], warnings),
    properties: Object.fromEntries(attributes),
    created_at: readEnexInstant(fields.get('created')?.at(-1)),
    updated_at: readEnexInstant(fields.get('updated')?.at(-1)),
  }
}
