/** What the search of the documentation finds. Pure. */
import { ERRORS } from '../http/api-error'
import { GUIDES } from './guides'
import type { JsonObject } from './json-schema'
import { readParts } from './reference-model'

interface PageEntry {
  readonly title: string
  /** What it is: a call's method and path, or words. It is searched, too. */
  readonly detail: string
  /** Its address from the root of the server, without the first slash. */
  readonly href: string
  /** What else it is found by. */
  readonly text: string
}

/** Characters of a description in the index: what is looked for is said first. */
const MAX_TEXT = 200

export function listPageEntries(document: JsonObject): PageEntry[] {
  const groups = readParts(document).flatMap((part) => part.groups)
  const calls = groups.flatMap(({ slug, operations }) =>
    operations.map(({ id, summary, description, method, path }) => ({
      title: summary,
      detail: `${method} ${path}`,
      href: `docs/${slug}#${id}`,
      text: description.slice(0, MAX_TEXT),
    })),
  )
  const pages = groups.map(({ name, slug, description }) => ({
    title: name,
    detail: description,
    href: `docs/${slug}`,
    text: '',
  }))
  const errors = Object.entries(ERRORS).map(([code, { status, title, help }]) => ({
    title: code,
    detail: `Error ${status}: ${title}`,
    href: `docs/errors#${code}`,
    text: help,
  }))
  const guides = GUIDES.map(({ name, title, markdown }) => ({
    title,
    detail: 'Guide',
    href: `docs/guides/${name}`,
    text: [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading).join(' '),
  }))
  return [...guides, ...pages, ...calls, ...errors]
}
