import { AnswerFault } from '../../http/outgoing'
import type { ToolDescription } from './chat-completions'
import { findCause, ModelClient, ModelRefusal, type UpstreamDependencies, type UpstreamSettings } from './client'
import { readStep, SpokenText, StepUsage, VisibleText } from './step'

/** What came of one question with one tool. */
export type Trial =
  | { readonly came: 'call' | 'words' | 'nothing' | 'refused_tools' }
  | { readonly came: 'failure'; readonly cause: ReturnType<typeof findCause>; readonly fault: string }

const TOOL: ToolDescription = {
  name: 'count_notes',
  description: 'Returns how many notes there are.',
  input: { type: 'object', properties: {}, additionalProperties: false },
  risk: 'read',
}
/** Time and tokens of the one answer; a model that thinks first needs both. */
const [TRIAL_MS, TRIAL_TOKENS] = [60_000, 2048]

/** Asks the model one question with one tool, as chat would. */
export async function tryModel(settings: UpstreamSettings, deps: UpstreamDependencies): Promise<Trial> {
  const client = new ModelClient(settings, deps)
  const question = {
    model: settings.model,
    turns: [{ role: 'user', content: 'How many notes are there? Use the tool.' }],
    tools: [TOOL],
    maxTokens: TRIAL_TOKENS,
    options: { temperature: null, topP: null, seed: null },
  } as const
  const usage = new StepUsage({ answer: TRIAL_TOKENS, reasoning: TRIAL_TOKENS }, 0)
  const speech = new SpokenText({ say: () => {}, ended: null })
  try {
    const pieces = client.ask(question, AbortSignal.timeout(TRIAL_MS), true)
    const { text, calls } = await readStep(pieces, { speech, visible: new VisibleText(true), usage }, 1)
    return { came: calls.length > 0 ? 'call' : text === '' ? 'nothing' : 'words' }
  } catch (error) {
    if (error instanceof ModelRefusal) return { came: 'refused_tools' }
    if (error instanceof DOMException) return { came: 'failure', cause: 'upstream_timeout', fault: error.message }
    if (!(error instanceof AnswerFault)) throw error
    return { came: 'failure', cause: findCause(error), fault: error.message }
  }
}
