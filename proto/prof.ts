import { runCase } from '../test/langgraph/threads/drive.ts';
const one = { thread: { nodes: [{class:'irreversible',reads:false,asks:false},{class:'reversible',reads:true,asks:true}], turns:[0,1] }, setting:'rewritten jointly', complaint: {about:0,during:1,inFlight:false}, dies: 12 } as any;
await runCase(one);
const t=performance.now(); for (let i=0;i<40;i++) await runCase(one); console.log((performance.now()-t)/40);
