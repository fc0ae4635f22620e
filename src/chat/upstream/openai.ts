import { count, list, member, text } from '../../http/outgoing'
import type { Fragment } from './calls'
import { describeTools, type ModelDialect, type ModelMessage, type Piece, samplingOptions } from './dialect'

/** Chat completions as OpenAI and the many that imitate it speak them. */
export const openAiDialect: ModelDialect = {
  path: '/chat/completions',
  streams: 'events',

  body: ({ model, turns, tools, maxTokens, options }, completionTokens) => ({
    model,
    messages: turns.map(openAiMessage),
    stream: true,
    stream_options: { include_usage: true },
    [completionTokens ? 'max_completion_tokens' : 'max_tokens']: maxTokens,
    ...samplingOptions(options),
    ...describeTools(tools),
  }),

  /** The chunk with the usage has no choices. A server that does not stream puts `message` where `delta` would be. */
  read(value): Piece {
    const choice = list(member(value, 'choices'))[0]
    const delta = member(choice, 'delta') ?? member(choice, 'message')
    return {
      text: text(member(delta, 'content')),
      thought: text(member(delta, 'reasoning_content')) || text(member(delta, 'reasoning')),
      fragments: list(member(delta, 'tool_calls')).map(readFragment),
      finish: text(member(choice, 'finish_reason')),
      usage: openAiUsage(member(value, 'usage')),
      last: false,
    }
  },

  refusesMaxTokens: (status, body) =>
    status === 400 && (body.includes('max_completion_tokens') || /"param"\s*:\s*"max_tokens"/.test(body)),
}

function openAiMessage(turn: ModelMessage): object {
  if (turn.role === 'tool') return { role: 'tool', tool_call_id: turn.call.id, content: turn.content }
  if (turn.role !== 'assistant' || turn.calls.length === 0) return { role: turn.role, content: turn.content }
  return {
    role: 'assistant',
    content: turn.content,
    tool_calls: turn.calls.map(({ id, name, arguments: sent }) => ({
      id,
      type: 'function',
      function: { name, arguments: sent },
    })),
  }
}

/** Arguments are a text that grows, but some servers send an object. */
export function readFragment(value: unknown): Fragment {
  const named = member(value, 'function')
  const sent = member(named, 'arguments') ?? ''
  return {
    index: count(member(value, 'index')) ?? count(member(named, 'index')),
    id: text(member(value, 'id')),
    name: text(member(named, 'name')),
    arguments: typeof sent === 'string' ? sent : JSON.stringify(sent),
  }
}

function openAiUsage(value: unknown): Piece['usage'] {
  const prompt = count(member(value, 'prompt_tokens'))
  const completion = count(member(value, 'completion_tokens'))
  return prompt === null || completion === null ? null : { prompt, completion }
}
