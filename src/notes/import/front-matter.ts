import { type Document, isMap, isScalar, parseDocument, stringify, visit } from 'yaml'
import { ApiError } from '../../http/api-error'
import { parseJson } from '../../http/body'

/** YAML at the head of a Markdown file: the one user of the YAML library. */

/** Bytes of one block. A node of the parser takes hundreds of bytes, and an array of nulls has one for every two. */
export const MAX_FRONT_MATTER_BYTES = 256 * 1024
/** How deep brackets may nest, before the parser, which is recursive, looks at them. */
const MAX_BRACKETS = 200
/** Deeper indentation than this can only be nesting. */
const MAX_INDENT_SPACES = 400

/** A value as it was read, and a scalar as it was written: `title: 1.0` is `1.0`. */
export interface FrontMatterMember {
  readonly value: unknown
  readonly text: string | null
}

export interface FrontMatter {
  /** Null: the file has no block, or one that cannot be read; it then stays in the body. */
  readonly members: ReadonlyMap<string, FrontMatterMember> | null
  readonly body: string
  /** Why a block that is there could not be read. */
  readonly fault: string | null
}

const BLOCK = /^---[ \t]*\r?\n([\s\S]*?)(?<=^|\n)---[ \t]*(?:\r?\n|$)/

/** Splits a Markdown file into its front matter and its body, which is untouched. */
export function readFrontMatter(text: string): FrontMatter {
  const match = /^---[ \t]*\r?\n/.test(text) ? BLOCK.exec(text) : null
  if (!match) return { members: null, body: text, fault: null }
  try {
    return { members: readMembers(match[1] ?? ''), body: text.slice(match[0].length), fault: null }
  } catch (error) {
    return { members: null, body: text, fault: toFaultText(error) }
  }
}

/** The block for these members, with its marks; readFrontMatter gives the same members back. */
export function writeFrontMatter(members: Readonly<Record<string, unknown>>): string {
  const options = {
    schema: 'core',
    lineWidth: 0,
    blockQuote: false,
    flowCollectionPadding: false,
    aliasDuplicateObjects: false,
  } as const
  const block = stringify(members, options)
  // Indentation can make a nested list many times as long as its JSON.
  const fits = Buffer.byteLength(block) <= MAX_FRONT_MATTER_BYTES
  return `---\n${fits ? block : stringify(members, { ...options, collectionStyle: 'flow' })}---\n`
}

class BrokenBlock extends Error {
  override readonly name = 'BrokenBlock'
}

function toFaultText(error: unknown): string {
  if (error instanceof BrokenBlock) return error.message
  if (error instanceof ApiError) return 'The front matter nests too deep, or holds text that cannot be stored.'
  throw error
}

function readMembers(block: string): Map<string, FrontMatterMember> {
  refuseHugeBlock(block)
  // The library compares each key with each other one: we look for doubles ourselves, at the top.
  const document = parseDocument(block, {
    schema: 'core',
    version: '1.2',
    uniqueKeys: false,
    logLevel: 'silent',
    prettyErrors: false,
  })
  const [error] = document.errors
  if (error) throw new BrokenBlock(`The front matter is not valid YAML: ${error.code}.`)
  if (document.contents === null) return new Map()
  if (!isMap(document.contents)) throw new BrokenBlock('The front matter is no list of names and values.')
  const texts = collectScalarTexts(document)
  // As JSON: no NUL, no half surrogate pair, no value that JSON cannot say.
  const values = parseJson(JSON.stringify(document.toJS({ maxAliasCount: 0 })))
  return new Map(
    Object.entries(Object(values)).map(([name, value]) => [name, { value, text: texts.get(name) ?? null }]),
  )
}

function refuseHugeBlock(block: string): void {
  if (Buffer.byteLength(block) > MAX_FRONT_MATTER_BYTES)
    throw new BrokenBlock(`The front matter is larger than ${MAX_FRONT_MATTER_BYTES} bytes.`)
  let open = 0
  for (const char of block) {
    if (char === '[' || char === '{') open++
    else if (char === ']' || char === '}') open = Math.max(0, open - 1)
    if (open > MAX_BRACKETS) throw new BrokenBlock('The front matter nests too deep.')
  }
  // `- - - -` and `? ? ?` nest within a line, indentation over several.
  if (/(?:[-?:][ \t]+){64}/.test(block) || new RegExp(`^[ ]{${MAX_INDENT_SPACES}}`, 'm').test(block))
    throw new BrokenBlock('The front matter nests too deep.')
}

/** The scalars of the top level as they are written. On the way, what JSON would distort is made text, and aliases are refused. */
function collectScalarTexts(document: Document.Parsed): Map<string, string> {
  const texts = new Map<string, string>()
  visit(document, {
    Alias: () => {
      throw new BrokenBlock('The front matter uses aliases of YAML, which are not read.')
    },
    Scalar: (_, node) => {
      if (typeof node.value === 'number' && isDistorted(node.value, node.source)) node.value = node.source
    },
  })
  if (!isMap(document.contents)) return texts
  const seen = new Set<string>()
  for (const { key, value } of document.contents.items) {
    const name = isScalar(key) ? String(key.value) : String(key)
    if (seen.has(name)) throw new BrokenBlock('The front matter has a name twice.')
    seen.add(name)
    if (isScalar(value) && value.value !== null)
      texts.set(name, typeof value.value === 'string' ? value.value : (value.source ?? String(value.value)))
  }
  return texts
}

/** Whether a number is not what was written: too long for a double, infinite, or none. */
function isDistorted(value: number, source: string | undefined): boolean {
  if (!Number.isFinite(value)) return true
  return (
    Number.isInteger(value) &&
    !Number.isSafeInteger(value) &&
    /^[-+]?\d+$/.test(source ?? '') &&
    String(value) !== source
  )
}
