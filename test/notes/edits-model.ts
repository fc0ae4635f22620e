import type { BodyEdit } from '../../src/notes/schema'

interface ModelHeading {
  readonly line: number
  readonly level: number
  readonly path: readonly string[]
}

export class ModelRefusal extends Error {
  constructor(readonly kind: 'missing' | 'ambiguous' | 'invalid') {
    super(kind)
  }
}

const isBlank = (line: string | undefined) => line !== undefined && line.trim() === ''
const linesOf = (text: string, lineEnd: string) => (text === '' ? [] : text.split(lineEnd))

/** What an edit comes to, by whole lines: for bodies whose headings are lines that begin with `#`. */
export function modelEdit(body: string, edit: BodyEdit, lineEnd: string): string {
  const { target, op, join = 'block' } = edit
  const content = String(edit.content ?? '')
  if ('block' in target || 'property' in target) throw new Error('the model has no such target')
  if ('text' in target) return editText(body, edit, lineEnd)
  const lines = linesOf(body, lineEnd)
  if ('document' in target) {
    if (op === 'replace') return content.replaceAll('\n', lineEnd)
    return put(lines, op, -1, 0, lines.length, content, join, lineEnd)
  }
  const headings = headingsOf(lines)
  const found = headings.filter((heading) => endsWith(heading.path, target.heading))
  if (found.length === 0 && edit.create_missing) return create(lines, headings, target.heading, content, join, lineEnd)
  if (target.nth === undefined && found.length > 1) throw new ModelRefusal('ambiguous')
  const heading = found[(target.nth ?? 1) - 1]
  if (!heading) throw new ModelRefusal('missing')
  const end = endOf(headings, heading, target.scope === 'own' ? 7 : heading.level, lines.length)
  if (op === 'delete') return cut(lines, heading.line, end, lineEnd)
  if (op === 'insert_before') return insert(lines, heading.line, heading.line, trimmed(content), join, lineEnd)
  return put(lines, op, heading.line, heading.line + 1, end, content, join, lineEnd)
}

function headingsOf(lines: readonly string[]): ModelHeading[] {
  const headings: ModelHeading[] = []
  lines.forEach((text, line) => {
    const match = /^(#{1,6}) (.*)$/.exec(text)
    if (!match?.[1]) return
    const level = match[1].length
    const parent = headings.findLast(
      (heading, i) => heading.level < level && headings.slice(i + 1).every((later) => later.level > heading.level),
    )
    headings.push({ line, level, path: [...(parent?.path ?? []), match[2] ?? ''] })
  })
  return headings
}

const endsWith = (path: readonly string[], wanted: readonly string[]) =>
  path.length >= wanted.length && wanted.every((name, i) => path[path.length - wanted.length + i] === name)

function endOf(headings: readonly ModelHeading[], { line }: ModelHeading, level: number, last: number): number {
  return headings.find((heading) => heading.line > line && heading.level <= level)?.line ?? last
}

function trimmed(content: string): string[] {
  const lines = content.split('\n')
  while (isBlank(lines[0])) lines.shift()
  while (isBlank(lines.at(-1))) lines.pop()
  return lines
}

function put(
  lines: string[],
  op: BodyEdit['op'],
  heading: number,
  start: number,
  end: number,
  content: string,
  join: BodyEdit['join'],
  lineEnd: string,
): string {
  let [from, to] = [start, end]
  while (from < to && isBlank(lines[from])) from += 1
  while (from < to && isBlank(lines[to - 1])) to -= 1
  const added = trimmed(content)
  if (from === to) {
    if (heading < 0) return added.join(lineEnd) + lines.join(lineEnd)
    from = to = heading + 1
  }
  if (op === 'replace' && added.length === 0) return from === to ? lines.join(lineEnd) : cut(lines, from, end, lineEnd)
  if (op === 'prepend') to = from
  else if (op !== 'replace') from = to
  return insert(lines, from, to, added, join, lineEnd)
}

function insert(
  lines: string[],
  from: number,
  to: number,
  added: string[],
  join: BodyEdit['join'],
  lineEnd: string,
): string {
  if (added.length === 0) return lines.join(lineEnd)
  const [before, after] = [lines.slice(0, from), lines.slice(to)]
  const gap = (there: boolean) => (there && join !== 'line' ? [''] : [])
  const above = gap(before.length > 0 && !isBlank(before.at(-1)))
  const below = gap(after.length > 0 && !isBlank(after[0]))
  return [...before, ...above, ...added, ...below, ...after].join(lineEnd)
}

function cut(lines: string[], from: number, to: number, lineEnd: string): string {
  const end = to === lines.length && from > 0 ? [''] : []
  return [...lines.slice(0, from), ...lines.slice(to), ...end].join(lineEnd)
}

function create(
  lines: string[],
  headings: ModelHeading[],
  path: readonly string[],
  content: string,
  join: BodyEdit['join'],
  lineEnd: string,
): string {
  let parent: ModelHeading | undefined
  let length = path.length - 1
  for (; length > 0; length -= 1) {
    const found = headings.filter((heading) => endsWith(heading.path, path.slice(0, length)))
    if (found.length > 1) throw new ModelRefusal('ambiguous')
    parent = found[0]
    if (parent) break
  }
  const level = parent?.level ?? 0
  const missing = path.slice(length)
  if (level + missing.length > 6) throw new ModelRefusal('invalid')
  const added = missing.flatMap((name, i) => [...(i > 0 ? [''] : []), `${'#'.repeat(level + i + 1)} ${name}`])
  const below = trimmed(content)
  if (below.length > 0) added.push(...(join === 'line' ? [] : ['']), ...below)
  const end = parent ? endOf(headings, parent, parent.level, lines.length) : lines.length
  return put(lines, 'append', parent?.line ?? -1, parent ? parent.line + 1 : 0, end, added.join('\n'), 'block', lineEnd)
}

function editText(body: string, { target, op, content = '' }: BodyEdit, lineEnd: string): string {
  if (!('text' in target)) throw new Error('not a text target')
  const [from, to] = areaOf(body, target.within, lineEnd)
  const places: number[] = []
  for (let at = from; at + target.text.length <= to; at += 1) if (body.startsWith(target.text, at)) places.push(at)
  if (target.nth === undefined && places.length > 1) throw new ModelRefusal('ambiguous')
  const at = places[(target.nth ?? 1) - 1]
  if (at === undefined) throw new ModelRefusal('missing')
  const end = at + target.text.length
  const written = {
    replace: String(content),
    delete: '',
    insert_before: content + target.text,
    insert_after: target.text + content,
  }
  return body.slice(0, at) + written[op as 'replace'] + body.slice(end)
}

function areaOf(body: string, within: readonly string[] | undefined, lineEnd: string): [number, number] {
  if (!within) return [0, body.length]
  const lines = linesOf(body, lineEnd)
  const headings = headingsOf(lines)
  const [heading, ...others] = headings.filter(({ path }) => endsWith(path, within))
  if (!heading) throw new ModelRefusal('missing')
  if (others.length > 0) throw new ModelRefusal('ambiguous')
  const offsetOf = (line: number) =>
    line === lines.length
      ? body.length
      : lines.slice(0, line).reduce((sum, text) => sum + text.length + lineEnd.length, 0)
  return [offsetOf(heading.line + 1), offsetOf(endOf(headings, heading, heading.level, lines.length))]
}
