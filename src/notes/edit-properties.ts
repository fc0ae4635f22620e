import { invalid } from '../http/api-error'
import { createMissingError, pickNearest, toCandidates } from './edit-targets'
import type { BodyEdit, PropertyTarget } from './schema'

/** The properties of a note while edits change them, each on the result of the one before. */
export class EditedProperties {
  /** Null: deleted. */
  private readonly changed = new Map<string, unknown>()

  constructor(private readonly stored: Readonly<Record<string, unknown>> = {}) {}

  /** Returns the changes as a member of a merge patch; none if there are none. */
  toPatch(): { readonly properties?: Record<string, unknown> } {
    const changes = [...this.changed].filter(([name, value]) => value !== null || Object.hasOwn(this.stored, name))
    return changes.length === 0 ? {} : { properties: Object.fromEntries(changes) }
  }

  /** Throws edit_target_missing with candidates, and invalid_request for a value that nothing can be added to. */
  edit({ op, content, create_missing = false }: BodyEdit, { property: name }: PropertyTarget, at: string): void {
    const present = this.has(name)
    if (!present && !create_missing) throw createMissingError('property', at, this.listNearest(name))
    const value = this.changed.get(name) ?? this.stored[name] ?? null
    const isAdded = present && (op === 'append' || op === 'prepend')
    this.changed.set(name, op === 'delete' ? null : isAdded ? add(value, content, op, at) : content)
  }

  private has(name: string): boolean {
    return this.changed.has(name) ? this.changed.get(name) !== null : Object.hasOwn(this.stored, name)
  }

  private listNearest(wanted: string) {
    const names = [...new Set([...Object.keys(this.stored), ...this.changed.keys()])].filter((name) => this.has(name))
    return toCandidates(
      pickNearest(names, wanted, (name) => name),
      (property) => ({ path: [], line: null, target: { property } }),
    )
  }
}

/** Adds items to a list, or text to a text. */
function add(value: unknown, content: unknown, op: 'append' | 'prepend', at: string): unknown {
  const isFirst = op === 'prepend'
  if (value === null) return content
  if (Array.isArray(value)) return isFirst ? [content, value].flat() : [value, content].flat()
  if (typeof value === 'string' && typeof content === 'string') return isFirst ? content + value : value + content
  throw invalid(`${at}/op`, 'invalid_value', `${op} works with a property that is a list, or with text and a text`)
}
