import { fromDay } from '../../lib/civil/day'
import { civilOf, isZone } from '../../lib/civil/zone'
import {
  type Dialect,
  htmlToMarkdown,
  LINK,
  openBlock,
  openDivision,
  openImage,
  openLink,
} from '../../lib/markdown/from-html'
import type { HtmlWriter } from '../../lib/markdown/html-writer'
import { escapeMarkdown } from '../../lib/markdown/writer'
import { nameOfNoteFile } from '../attachments/names'
import type { EnexFile } from './enex-files'
import { readEnexInstant, type Warning } from './parsed'

/**
 * Converts ENML, the XHTML of Evernote's notes, to Markdown. Evernote marks text by elements or by styles, depending on
 * its version, and writes a list within a list beside the item that it belongs to.
 */

/** A task of Evernote. It is not in the text: a group of tasks has a place there. */
export interface EnexTask {
  title: string
  taskStatus: string
  /** The id of its group; empty if it has none. */
  taskGroupNoteLevelID: string
  /** Tasks of a group are sorted by this text. */
  sortWeight: string
  /** `true` for a flagged task. */
  taskFlag: string
  /** When it is due, such as `20260102T030405Z`; empty if it is not. */
  dueDate: string
  /** `date_only` if the time of `dueDate` means nothing. */
  dueDateUIOption: string
  timeZone: string
  /** Whether it has a reminder, a repetition or a person. */
  hasDetails: boolean
}

/** What a note has besides its text, and the text has places for. */
interface EnexParts {
  readonly tasks: readonly EnexTask[]
  /** By the MD5 of their data. */
  readonly files: ReadonlyMap<string, EnexFile>
}

/** What cannot be kept: the reports by code, each with the number of its occurrences. */
const LOSSES: Readonly<Record<string, (count: number) => string>> = {
  link_dropped: (n) => `The addresses of ${n} links, such as files on a computer, were left out; their text is kept.`,
  picture_dropped: (n) =>
    `${n} pictures inside the text, large ones or of other kinds, were left out; their descriptions are kept.`,
  element_dropped: (n) => `${n} frames, videos, drawings or other embedded parts were left out.`,
  formatting_dropped: () => 'Colours, fonts, sizes or alignment were left out.',
  merged_cells: (n) => `${n} merged cells of tables became single ones.`,
  encrypted: (n) => `${n} encrypted parts are kept as they are, in blocks of code.`,
  note_links: (n) => `${n} links to notes of Evernote lead to the notes with these titles now.`,
  attachment_missing: (n) => `${n} attachments that the text shows are not in the file, or their data is broken.`,
  task_details: (n) =>
    `The flags, reminders, repetitions or people of ${n} tasks, or dates that cannot be read, were left out.`,
}

/**
 * Converts the text of an Evernote note. What it has no place for comes at the end. Each kind of loss adds one warning. Throws UnreadableItem.
 */
export function enmlToMarkdown(enml: string, { tasks, files }: EnexParts, warnings: Warning[]): string {
  const losses = new Map<string, number>()
  const lose = (code: keyof typeof LOSSES & string) => losses.set(code, (losses.get(code) ?? 0) + 1)
  for (const task of tasks)
    if (task.hasDetails || task.taskFlag === 'true' || (task.dueDate !== '' && writeDue(task) === null))
      lose('task_details')
  const markdown = htmlToMarkdown(enml, createDialect({ tasks, files }, lose))
  for (const [code, count] of losses) warnings.push({ code, detail: LOSSES[code]?.(count) ?? '' })
  return markdown
}

const NOTE_LINK = /^(?:evernote:\/\/\/view\/|https:\/\/(?:www\.evernote\.com\/shard\/|share\.evernote\.com\/note\/))/i
/** Pictures within the text, which HTML of notes shows as they are. */
const DATA_PICTURE = /^data:image\/(?:png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/]+={0,2}$/
/** Characters of the pictures within one text: a quarter of the limit of a body, so that they do not fail the note. */
const MAX_INLINE_CHARS = 256 * 1024
const TASK_GROUP = /--en-task-group:\s*true/
const EMBEDDED = 'iframe object embed video audio canvas svg math applet'

function createDialect({ tasks, files }: EnexParts, lose: (code: string) => void): Dialect {
  const sorted = tasks.toSorted((a, b) => (a.sortWeight < b.sortWeight ? -1 : a.sortWeight > b.sortWeight ? 1 : 0))
  const groups = Map.groupBy(sorted, ({ taskGroupNoteLevelID }) => taskGroupNoteLevelID)
  const writeGroup = (writer: HtmlWriter, group: string) => {
    for (const task of groups.get(group) ?? []) writeTask(writer, task)
    groups.delete(group)
  }
  const unplaced = new Map(files)
  let room = MAX_INLINE_CHARS
  const openMedia = (writer: HtmlWriter, { hash = '' }: Record<string, string>) => {
    const file = files.get(hash.trim().toLowerCase())
    if (!file) lose('attachment_missing')
    // Code shows no files, and hidden text is not there: the file then comes at the end.
    else if (writer.code === null && writer.muted === 0) {
      unplaced.delete(hash.trim().toLowerCase())
      writer.addPlainMark(toFileLink(file))
    }
    return undefined
  }
  const openEmbedded = () => {
    lose('element_dropped')
    return undefined
  }
  return {
    xhtml: true,
    math: true,
    elements: {
      ...Object.fromEntries(EMBEDDED.split(' ').map((name) => [name, openEmbedded])),
      'en-media': openMedia,
      'en-todo': (writer, { checked }) => {
        writer.todo(checked === 'true' || checked === 'checked')
        return undefined
      },
      'en-crypt': (writer, { hint, cipher = '' }) => {
        lose('encrypted')
        if (writer.rows || writer.code !== null) return openBlock(writer)
        writer.endBlock()
        writer.code = [`en-crypt ${cipher}`.trim(), ...(hint ? [`hint: ${hint}`] : []), ''].join('\n')
        return () => writer.writeCode()
      },
      div: (writer, attributes) => {
        const { style = '' } = attributes
        if (!TASK_GROUP.test(style)) return openDivision(writer, attributes)
        writer.endBlock()
        const [, group = ''] = /--en-id:\s*([\w-]+)/.exec(style) ?? []
        writeGroup(writer, group)
        // Inside is a sentence for older programs, which cannot show tasks.
        writer.muted++
        return () => {
          writer.muted--
        }
      },
      a: (writer, attributes) => {
        const { href = '' } = attributes
        if (writer.code === null && NOTE_LINK.test(href)) {
          writer.openSpan((text) => {
            const link = toNoteLink(text)
            lose(link === text ? 'link_dropped' : 'note_links')
            return link
          })
          return () => writer.closeSpan()
        }
        if (href !== '' && !LINK.test(href)) lose('link_dropped')
        return openLink(writer, attributes)
      },
      img: (writer, attributes) => {
        const { src = '', alt = '' } = attributes
        if (/^https?:/i.test(src) && writer.code === null) return openImage(writer, attributes)
        if (DATA_PICTURE.test(src) && src.length <= room && writer.code === null && writer.muted === 0) {
          room -= src.length
          writer.addPlainMark(`![${escapeMarkdown(alt, false)}](${src})`)
          return undefined
        }
        lose('picture_dropped')
        writer.text(alt)
        return undefined
      },
    },
    attributes(writer, name, { style = '', colspan = '1', rowspan = '1', color, face, size, align }) {
      if (writer.muted > 0) return undefined
      if (/^t[dh]$/.test(name) && (colspan !== '1' || rowspan !== '1')) lose('merged_cells')
      const isColoured = COLOURS.test(style) && !HIGHLIGHT.test(style) && !/-en-(?:codeblock|task-group)/.test(style)
      if (isColoured || [color, face, size, align].some((value) => value !== undefined)) lose('formatting_dropped')
      return style === '' ? undefined : openStyle(writer, name, style)
    },
    end(writer) {
      for (const group of groups.keys()) writeGroup(writer, group)
      for (const file of unplaced.values()) {
        const endBlock = openBlock(writer)
        writer.addPlainMark(toFileLink(file))
        endBlock()
      }
    },
  }
}

const COLOURS = /(?:^|[;\s])(?:color|background-color|background|font-size|font-family|text-align)\s*:/
const HIGHLIGHT = /-evernote-highlight:\s*true|--en-highlight:/

const STYLE_MARKS: readonly [RegExp, string, string][] = [
  [/font-weight:\s*(?:bold|[6-9]00)/, '**', '**'],
  [/font-style:\s*(?:italic|oblique)/, '*', '*'],
  [/text-decoration(?:-line)?:[^;]*line-through/, '~~', '~~'],
  [/text-decoration(?:-line)?:[^;]*underline/, '<u>', '</u>'],
  [/vertical-align:\s*sub\b/, '<sub>', '</sub>'],
  [/vertical-align:\s*super\b/, '<sup>', '</sup>'],
  [HIGHLIGHT, '<mark>', '</mark>'],
]

/** Opens the marks that a style means. Headings are bold and links underlined by themselves. */
function openStyle(writer: HtmlWriter, name: string, style: string): () => void {
  const isImplied = (mark: string) => (mark === '**' && /^h[1-6]$|^th$/.test(name)) || (mark === '<u>' && name === 'a')
  const closers = STYLE_MARKS.flatMap(([pattern, mark, end]) =>
    pattern.test(style) && !isImplied(mark) ? (writer.openMark(mark, end) ?? []) : [],
  )
  return () => {
    for (const close of closers.toReversed()) close()
  }
}

function writeTask(writer: HtmlWriter, task: EnexTask): void {
  const end = openBlock(writer)
  const due = writeDue(task)
  writer.todo(task.taskStatus === 'completed')
  writer.text(due === null ? task.title : `${task.title} (due ${due})`)
  end()
}

/**
 * Writes when a task is due, in its time zone: `2026-01-31`, and ` 18:00` if it has a time. Null if that cannot be read.
 */
function writeDue({ dueDate, dueDateUIOption, timeZone }: EnexTask): string | null {
  const at = readEnexInstant(dueDate)
  if (at === null) return null
  const isKnown = isZone(timeZone)
  const { day, minutes } = civilOf(at, isKnown ? timeZone : 'UTC')
  if (minutes === 0 || dueDateUIOption.toLowerCase() === 'date_only') return fromDay(day)
  const [hour, minute] = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'))
  return `${fromDay(day)} ${hour}:${minute}${isKnown ? '' : ' UTC'}`
}

function toFileLink(file: EnexFile): string {
  return `${file.isShown ? '!' : ''}[[${nameOfNoteFile(file)}]]`
}

/** Writes a link to the note whose title is the text of the link. */
function toNoteLink(text: string): string {
  const title = text
    .replace(/(?<!\\)(?:\*\*?|~~)|<\/?(?:u|mark|sub|sup)>/g, '')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/\s+/g, ' ')
  return /[[\]|#^]/.test(title) ? text : `[[${title}]]`
}
