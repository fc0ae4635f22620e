import { noSuchModel } from './engines'

/** Models as Ollama's clients treat them: each has a tag, and is loaded before it is used. */

const TAG = ':latest'

/** Returns the name of a model with its tag, as Ollama lists it. */
export function withTag(name: string): string {
  return name.includes(':') ? name : name + TAG
}

/**
 * Returns the name by which a model is known here. In Ollama a name without a tag means the tag `latest`, so clients
 * send either.
 * @param requested `auto` if absent
 * @param models the names of the models here
 * @returns the requested name if no model has it
 */
export function resolveModel(requested: string | undefined, models: readonly string[]): string {
  const known = ['auto', ...models]
  if (requested === undefined) return 'auto'
  if (known.includes(requested)) return requested
  return known.find((name) => withTag(name) === withTag(requested)) ?? requested
}

/** Resolves the name of a model that must be here, or `auto`. @throws ApiError model_not_found */
export function requireModel(requested: string | undefined, models: readonly string[]): string {
  const name = resolveModel(requested, models)
  if (name !== 'auto' && !models.includes(name)) throw noSuchModel(models)
  return name
}

interface LoadRequest {
  readonly model?: string
  /** The time for which Ollama keeps the model loaded; 0 unloads it. A number is in seconds. */
  readonly keep_alive?: unknown
}

/**
 * Answers a request to load a model or to unload it. Clients make one before the first question, or to see whether
 * there is such a model; nothing is loaded here.
 * @param models those that the caller may use
 * @throws ApiError model_not_found
 */
export function answerLoad({ model, keep_alive }: LoadRequest, models: readonly string[], now: number) {
  const isUnload = /^0+(\.0*)?([a-zµ]+)?$/.test(String(keep_alive ?? ''))
  return {
    model: requireModel(model, models),
    created_at: new Date(now).toISOString(),
    done: true as const,
    done_reason: isUnload ? ('unload' as const) : ('load' as const),
  }
}
