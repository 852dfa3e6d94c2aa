import { Annotation, interrupt, Command, StateGraph } from '@langchain/langgraph';
import { loadConfig } from '../src/boundaries/load.ts';
import { memoryStore } from '../src/journal/memory/store.ts';
import { attachGraph, resumeGraph } from '../src/langgraph/graph.ts';
import { graphTool } from '../src/langgraph/tools/tool.ts';
const bank: string[] = [];
let quote = 100;
const ask = graphTool('ask', async ({ input }: any) => quote);
const pay = graphTool('pay', async ({ input, key }: any) => { bank.push(`${key} ${JSON.stringify(input)}`); return 'paid'; });
const S = Annotation.Root({ says: Annotation<string>, log: Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }), price: Annotation<number>, paid: Annotation<string> });
const graph = new StateGraph(S)
  .addNode('asking', async ({ says }) => ({ price: (await ask({ says })) as number, log: [`asked ${says}`] }))
  .addNode('paying', async ({ price, says }) => { const may = says === 'may' ? interrupt('may I?') : 'yes'; return { paid: `${await pay({ price })} ${price} ${may}`, log: ['paid'] }; })
  .addConditionalEdges('__start__', ({ says }) => (says === 'ask' ? 'asking' : 'paying'), ['asking', 'paying'])
  .compile({ name: 'chat' });
const { config, findings } = loadConfig(`belay: 1
agent: chat
keys: { append: [log] }
tools:
  ask: { reads: [], writes: [], effect: none }
  pay: { reads: [], writes: [], effect: reversible, undo: undo }
skeletons:
  Ask:
    entity: '"it"'
    states: [asking]
    entry: [asking]
    outputs: [price, log]
    exit: [{ id: asked, at: asking -> end, when: 'true', outputs: [price] }]
    rollback: { anchors: [asked], resume: asking }
  Pay:
    entity: '"it"'
    states: [paying]
    entry: [paying]
    outputs: [paid, log]
    exit: [{ id: paid, at: paying -> end, when: 'true', outputs: [paid] }]
    rollback: { anchors: [paid], resume: paying }
`, { file: 'c.yaml' }) as any;
if (!config) { console.log(findings); process.exit(1); }
for (const said of ['stands', 'rewritten'] as const) {
  console.log('==', said); bank.length = 0; quote = 100;
  const journal = memoryStore();
  const options = { run: 'c1', config, journal, thread: { said }, undo: { undo: ({ key }: any) => void bank.push(`undo ${key}`) }, onDecision: (d: any) => console.log('decision', d.decision.verdict, JSON.stringify(d.decision.refusals)) , onFinding: (f: any) => console.log('finding', f.code, f.text)};
  let chat = await attachGraph(graph, options);
  console.log(await chat.invoke({ says: 'ask' }, { id: 'm1' }));
  console.log(await chat.invoke({ says: 'ask' }, { id: 'm1' }));
  await chat.close();
  chat = await resumeGraph(graph, options);
  console.log((await chat.getState().catch((e: any) => e.code)));
  console.log(await chat.invoke({ says: 'may' }));
  console.log(await chat.invoke({ says: 'other' }).catch((e: any) => e.code + e.message));
  console.log(await chat.resume(new Command({ resume: 'yes' })));
  console.log((await chat.getState()).values);
  await chat.close();
  chat = await resumeGraph(graph, options);
  quote = 120;
  console.log('fail', await chat.invoke(), await chat.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'Ask', entity: 'it', ordinal: 0 }, key: 'price' }).then(() => 'ok', (e) => `${e.code} ${e.message}`));
  console.log(chat.status, await Promise.race([chat.invoke().catch((e) => e.message), new Promise((r) => setTimeout(() => r('hang'), 2000))]));
  console.log(chat.questions());
  if (chat.questions().length) console.log(await chat.resume(new Command({ resume: 'yes' })));
  console.log(await chat.invoke({ says: 'pay' }).catch((e: any) => e.code + e.message));
  console.log(bank, chat.events().map((e: any) => [e.name, e.type, e.is]));
  console.log(await chat.revise(chat.events()[1]!.name, { input: { says: 'ask' } }).catch((e: any) => e));
  console.log(await chat.retract(chat.events()[1]!.name).catch((e: any) => e));
  await chat.close();
}
