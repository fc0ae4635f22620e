import type { Static } from '@sinclair/typebox'
import type { Session } from '../../db/database'
import { noSuchModel } from '../engines'
import type { openAiModel } from './schema'

interface Deps {
  /** The models that a caller may use. */
  readonly models: (session: Session) => string[]
  /** When this server started, in milliseconds since 1970. */
  readonly since: number
}

type OpenAiModel = Static<typeof openAiModel>

/** The meaning of a model's name. */
export interface NamedModel {
  readonly model: string
  /** The mode of a request that sets none. */
  readonly mode: 'read' | 'write'
}

export type ModelNames = ReturnType<typeof createModelNames>

/**
 * Names models for front ends in which a user chooses a model, but can set no mode: each model M has the mode `read`,
 * and a second name `M-write` for the same model has the mode `write`.
 */
export function createModelNames({ models, since }: Deps) {
  const created = Math.floor(since / 1000)
  const toModel = (id: string): OpenAiModel => ({ id, object: 'model', created, owned_by: 'satchel' })
  const toNames = (model: string): [string, NamedModel][] => [
    [model, { model, mode: 'read' }],
    [`${model}-write`, { model, mode: 'write' }],
  ]
  const namesOf = (session: Session): ReadonlyMap<string, NamedModel> => new Map(models(session).flatMap(toNames))

  /** Returns the meaning of a name. @throws ApiError model_not_found */
  function read(session: Session, name: string): NamedModel {
    if (name === 'auto') return { model: name, mode: 'read' }
    const names = namesOf(session)
    const named = names.get(name)
    if (!named) throw noSuchModel([...names.keys()])
    return named
  }

  return {
    read,

    /** Lists the models that a caller may use, under all names. */
    list: (session: Session): OpenAiModel[] => [...namesOf(session).keys()].map(toModel),

    /** Returns the model with a name. @throws ApiError model_not_found */
    get(session: Session, name: string): OpenAiModel {
      read(session, name)
      return toModel(name)
    },
  }
}
