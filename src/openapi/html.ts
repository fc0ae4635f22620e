import { Marked } from 'marked'
import { asList, asObject, isObject, type JsonObject, nameOfReference } from './json-schema'

/** Markdown of the document and tables of schemas as HTML, with links that work wherever the server is mounted. */

/** Returns a link target relative to the page: what begins with a slash is below `root`. */
function relativeTo(root: string, target: string): string {
  return target.startsWith('/') && !target.startsWith('//') ? root + target.slice(1) : target
}

/** The readers of Markdown by their way to the root: links are written when they are read. */
const READERS = new Map<string, Marked>()

/** Renders Markdown of ours; HTML in it is shown as text. @param root the way from the page to the root, `../` for example */
export function renderMarkdown(markdown: string, root: string, kind: 'blocks' | 'inline' = 'blocks'): string {
  const reader = READERS.getOrInsertComputed(root, createReader)
  return String(kind === 'inline' ? reader.parseInline(markdown) : reader.parse(markdown)).trim()
}

function createReader(root: string): Marked {
  return new Marked({
    walkTokens: (token) => {
      if (token.type === 'link') token.href = relativeTo(root, token.href)
    },
    renderer: { html: ({ text }) => Bun.escapeHTML(text) },
  })
}

/** Levels of objects without a name that are shown inside one another; what is deeper is only named as an object. */
const MAX_LEVELS = 5

interface Row {
  readonly name: string
  readonly schema: JsonObject
  readonly isRequired: boolean
  readonly description?: string
}

export function objectAnchor(name: string): string {
  return `object-${name}`
}

/** As a table; nameless objects inside have their members in it. If all are required, or none, a sentence says so. */
export function renderMembers(schema: JsonObject, root: string, caption: string): string {
  const rows = listRows(schema, '', 0)
  if (rows.length === 0) return `<p>${renderType(schema)}</p>`
  const required = rows.filter(({ isRequired }) => isRequired).length
  if (required > 0 && required < rows.length) return renderTable(rows, root, caption)
  const plain = rows.map((row) => ({ ...row, isRequired: false }))
  const note = required > 0 ? 'Every member is there.' : 'Each member may be left out.'
  return `<p class="fine">${note}</p>\n${renderTable(plain, root, caption)}`
}

export function renderTable(rows: readonly Row[], root: string, caption: string): string {
  // HTML needs no end of a row or a cell.
  return `<table class="members"><caption class="unseen">${Bun.escapeHTML(caption)}</caption>
${rows.map((row) => renderRow(row, root)).join('\n')}</table>`
}

function renderRow(row: Row, root: string): string {
  const { name, schema, isRequired, description = String(schema.description ?? '') } = row
  const meaning = [description && renderMarkdown(description, root, 'inline'), renderLimits(schema, description)]
  const need = isRequired ? ' <b>required</b>' : ''
  return `<tr><th scope="row"><code>${Bun.escapeHTML(name)}</code> <i>${renderType(schema)}</i>${need}<td>${meaning.filter(Boolean).join(' ')}`
}

/** Lists the members of an object, of the items of a list, and of the alternatives of a union. */
function listRows(schema: JsonObject, prefix: string, level: number): Row[] {
  if (level > MAX_LEVELS || nameOfReference(schema)) return []
  const required = new Set(asList(schema.required))
  const own = Object.entries(asObject(schema.properties)).flatMap(([name, value]) => {
    const member = asObject(value)
    const row = { name: prefix + name, schema: member, isRequired: required.has(name) }
    return [row, ...listRows(member, `${prefix}${name}.`, level + 1)]
  })
  const items = isObject(schema.items) ? listRows(schema.items, `${prefix.replace(/\.$/, '')}[].`, level + 1) : []
  const alternatives = [...asList(schema.anyOf), ...asList(schema.oneOf), ...asList(schema.allOf)]
  const rows = [...own, ...items, ...alternatives.flatMap((one) => listRows(asObject(one), prefix, level + 1))]
  return [...new Map(rows.map((row) => [row.name, row])).values()]
}

/** Renders the type of a value in words; named schemas are links. */
export function renderType(schema: JsonObject): string {
  const name = nameOfReference(schema)
  if (name) return `<a href="#${objectAnchor(name)}">${Bun.escapeHTML(name)}</a>`
  const alternatives = [...asList(schema.anyOf), ...asList(schema.oneOf)].map(asObject)
  if (alternatives.length > 0) return [...new Set(alternatives.map(renderType))].join(' or ')
  if ('const' in schema) return `<code>${Bun.escapeHTML(JSON.stringify(schema.const))}</code>`
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? 'any value']
  return types.map((type) => renderPlainType(String(type), schema)).join(' or ')
}

function renderPlainType(type: string, schema: JsonObject): string {
  if (type === 'array') return isObject(schema.items) ? `list of ${renderType(schema.items)}` : 'list'
  if (type === 'string' && typeof schema.format === 'string') return Bun.escapeHTML(schema.format)
  return Bun.escapeHTML(type)
}

/** Renders what a value must be besides its type, without what its description says in the same words. */
function renderLimits(schema: JsonObject, description: string): string {
  const limits: string[] = []
  const code = (value: unknown) =>
    `<code>${Bun.escapeHTML(typeof value === 'string' ? value : JSON.stringify(value))}</code>`
  if (Array.isArray(schema.enum)) limits.push(`One of ${schema.enum.map(code).join(', ')}.`)
  const { minimum, maximum } = schema
  if (minimum !== undefined && maximum !== undefined) limits.push(`${minimum} to ${maximum}.`)
  else if (minimum !== undefined) limits.push(`At least ${minimum}.`)
  else if (maximum !== undefined) limits.push(`At most ${maximum}.`)
  if ('default' in schema) limits.push(`Default: ${code(schema.default)}.`)
  const said = description.replaceAll('`', '')
  return limits.filter((limit) => !said.includes(limit.replaceAll(/<\/?code>/g, '').slice(0, -1))).join(' ')
}
