import { count, list, member, text } from '../../http/outgoing'
import { parseArguments } from './calls'
import { describeTools, type ModelDialect, type ModelMessage, type Piece, samplingOptions } from './dialect'
import { readFragment } from './openai'

/** Ollama's own call: it alone takes `num_ctx`; the compatible one cuts long prompts without a word. */
export const ollamaDialect: ModelDialect = {
  path: '/api/chat',
  streams: 'lines',

  body: ({ model, turns, tools, maxTokens, numCtx, options }) => ({
    model,
    messages: turns.map(ollamaMessage),
    stream: true,
    options: { num_ctx: numCtx, num_predict: maxTokens, ...samplingOptions(options) },
    ...describeTools(tools),
  }),

  read(value): Piece {
    const message = member(value, 'message')
    const done = member(value, 'done') === true
    return {
      text: text(member(message, 'content')),
      thought: text(member(message, 'thinking')),
      fragments: list(member(message, 'tool_calls')).map(readFragment),
      finish: done ? text(member(value, 'done_reason')) || 'stop' : '',
      usage: done ? ollamaUsage(value) : null,
      last: done,
    }
  },

  refusesMaxTokens: () => false,
}

function ollamaMessage(turn: ModelMessage): object {
  if (turn.role === 'tool') return { role: 'tool', tool_name: turn.call.name, content: turn.content }
  if (turn.role !== 'assistant' || turn.calls.length === 0) return { role: turn.role, content: turn.content }
  return {
    role: 'assistant',
    content: turn.content,
    tool_calls: turn.calls.map(({ name, arguments: sent }) => ({
      function: { name, arguments: parseArguments(sent) ?? {} },
    })),
  }
}

/** A prompt that the server still had in its cache is not counted: then nothing is known of it. */
function ollamaUsage(value: unknown): Piece['usage'] {
  const prompt = count(member(value, 'prompt_eval_count'))
  const completion = count(member(value, 'eval_count'))
  return prompt === null || completion === null ? null : { prompt, completion }
}
