import { Type } from '@sinclair/typebox'
import { Instant } from '../../http/schema'

/** The schemas of Ollama's API, exactly as its clients expect them. */

export const ollamaVersion = Type.Object(
  {
    version: Type.String({ description: 'The version of the Ollama API that is followed; clients compare it.' }),
    satchel: Type.String({ description: 'The version of this server.' }),
  },
  { examples: [{ version: '0.12.0', satchel: '0.1.0' }] },
)

export const ollamaModelDetails = Type.Object({
  parent_model: Type.String(),
  format: Type.String(),
  family: Type.String(),
  families: Type.Array(Type.String()),
  parameter_size: Type.String(),
  quantization_level: Type.String(),
})

const none = { parent_model: '', format: '', family: 'satchel', families: ['satchel'] }
const exampleDetails = { ...none, parameter_size: '', quantization_level: '' }

export const ollamaModel = Type.Object({
  name: Type.String(),
  model: Type.String(),
  modified_at: Instant,
  size: Type.Integer({ minimum: 0, description: 'Always 0: nothing is stored here.' }),
  digest: Type.String({ description: 'SHA-256 of the name.' }),
  details: ollamaModelDetails,
})

export const ollamaModels = Type.Object(
  {
    models: Type.Array(ollamaModel, { description: 'The models that this caller may use.' }),
  },
  {
    examples: [
      {
        models: [
          {
            name: 'satchel-local:latest',
            model: 'satchel-local:latest',
            modified_at: '2026-03-01T08:15:00.000Z',
            size: 0,
            digest: '0'.repeat(64),
            details: exampleDetails,
          },
        ],
      },
    ],
  },
)

export const showRequest = Type.Object(
  {
    model: Type.Optional(Type.String()),
    name: Type.Optional(Type.String({ description: 'An older name of `model`.' })),
    verbose: Type.Optional(Type.Unknown({ description: 'Without effect.' })),
    system: Type.Optional(Type.Unknown({ description: 'Without effect.' })),
    template: Type.Optional(Type.Unknown({ description: 'Without effect.' })),
    options: Type.Optional(Type.Unknown({ description: 'Without effect.' })),
  },
  { additionalProperties: false, examples: [{ model: 'satchel-local' }] },
)

export const shownModel = Type.Object(
  {
    details: ollamaModelDetails,
    model_info: Type.Record(Type.String(), Type.String()),
    capabilities: Type.Array(Type.String()),
  },
  {
    examples: [
      {
        details: exampleDetails,
        model_info: { 'general.architecture': 'satchel' },
        capabilities: ['completion'],
      },
    ],
  },
)

export const runningModels = Type.Object(
  { models: Type.Array(ollamaModel, { description: 'Always empty: nothing is loaded.' }) },
  { examples: [{ models: [] }] },
)

/** The details of every model here. */
export const MODEL_DETAILS = exampleDetails
