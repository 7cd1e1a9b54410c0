// Runs an ONNX file in onnxruntime: node run.js FOLDER MODEL INPUTS OUTPUTS. FOLDER holds node_modules. INPUTS and OUTPUTS are JSON, of each
// tensor its type, dims and data, NaN and infinities as texts.
const fs = require('fs');
const [folder, model, inputs, outputs] = process.argv.slice(2);
const ort = require(folder + '/node_modules/onnxruntime-node');

async function main() {
  const session = await ort.InferenceSession.create(model, { intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 2 });
  const feeds = {};
  for (const [name, t] of Object.entries(JSON.parse(fs.readFileSync(inputs, 'utf8')))) {
    const data = t.type === 'float64' ? Float64Array.from(t.data, Number) : t.data;
    feeds[name] = new ort.Tensor(t.type, data, t.dims);
  }
  const results = await session.run(feeds);
  const told = { inputs: session.inputNames, outputs: {} };
  for (const [name, t] of Object.entries(results)) {
    const data = Array.from(t.data, (v) => (typeof v === 'bigint' ? Number(v) : typeof v === 'number' && !Number.isFinite(v) ? String(v) : v));
    told.outputs[name] = { type: t.type, dims: t.dims, data };
  }
  fs.writeFileSync(outputs, JSON.stringify(told));
}
main().catch((e) => { console.error(String(e)); process.exit(1); });
